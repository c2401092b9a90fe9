import { levels, run, type Report, type RunOptions, type Target } from "@countersign/contract-kit";
import type { Fault, Opened } from "./fault.ts";

/** A true finding at a target whose only fault is its library's or its platform's. */
export interface TrueFinding {
  readonly requirement: string;
  readonly why: string;
  /** The bytes that show it, as they are sent, a line each. */
  readonly bytes: readonly string[];
}

/** A target without faults of its own making. */
export interface Good<T extends Target> {
  readonly name: string;
  /** The reason why this machine cannot run it. */
  readonly missing?: string;
  readonly findings?: readonly TrueFinding[];
  readonly open: () => Promise<Opened<T>>;
}

/** The findings at one broken target. */
export interface Row {
  readonly requirement: string;
  readonly what: string;
  readonly also: Readonly<Record<string, string>>;
  /** Ids of the requirements that caught it, sorted. */
  readonly caughtBy: readonly string[];
  /** Checks that broke, which says nothing about the target. */
  readonly errors: readonly string[];
}

export interface MatrixOptions<T extends Target> extends Pick<
  RunOptions<T>,
  "checks" | "requirements" | "seed" | "runs"
> {
  /** True if each fault meets only the check that must catch it. Default: it meets all. */
  readonly isShort?: boolean;
  readonly slow?: boolean;
  /** Targets that run at the same time. Default 1. */
  readonly atOnce?: number;
  readonly onRow?: (row: Row) => void;
}

/** Runs the checks against each broken target, and returns a row for each, in their order. */
export async function matrixOf<T extends Target>(
  faults: readonly Fault<T>[],
  options: MatrixOptions<T>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const left = faults.entries();
  const work = async (): Promise<void> => {
    for (const [index, fault] of left) {
      const row = await rowOf(fault, options);
      rows[index] = row;
      options.onRow?.(row);
    }
  };
  await Promise.all(Array.from({ length: options.atOnce ?? 1 }, work));
  return rows;
}

async function rowOf<T extends Target>(
  { requirement, what, also, check, open }: Fault<T>,
  { isShort = false, ...options }: MatrixOptions<T>,
): Promise<Row> {
  const one = options.checks.filter(({ id }) => id === check);
  const { findings } = isShort
    ? await reportOn(open, { ...options, ...(check && { checks: one }), only: [requirement] })
    : await reportOn(open, options);
  const failed = findings.filter(({ status }) => status === "fail");
  const broken = findings.filter(({ status }) => status === "error");
  const caughtBy = [...new Set(failed.map((finding) => finding.requirement.id))].toSorted();
  const errors = [...new Set(broken.map((finding) => `${finding.check}: ${finding.message}`))];
  return { requirement, what, also, caughtBy, errors };
}

async function reportOn<T extends Target>(
  open: () => Promise<Opened<T>>,
  { slow = false, ...options }: MatrixOptions<T> & Pick<RunOptions<T>, "only">,
): Promise<Report> {
  const { target, close } = await open();
  try {
    // A failure at any level counts as caught.
    return await run({
      seed: 1,
      ...options,
      target: slow ? { ...target, slow } : target,
      failOn: levels,
    });
  } finally {
    await close();
  }
}

/** Problems of a matrix: faults caught by too few or too many, needless exceptions, broken checks. */
export function offDiagonal(
  rows: readonly Row[],
  { isShort = false }: { readonly isShort?: boolean } = {},
): readonly string[] {
  return rows.flatMap(({ requirement, what, also, caughtBy, errors }) => {
    const excused = Object.keys(also);
    const strangers = caughtBy.filter((id) => id !== requirement && !excused.includes(id));
    const needless = excused.filter((id) => !caughtBy.includes(id));
    return [
      ...(caughtBy.includes(requirement) ? [] : [`${requirement} does not catch: ${what}`]),
      ...(isShort ? [] : strangers.map((id) => `${id} catches ${requirement}'s: ${what}`)),
      ...(isShort ? [] : needless.map((id) => `${id} is excused and does not catch: ${what}`)),
      ...errors.map((error) => `${what}: ${error}`),
    ];
  });
}

/** Findings at a good target that nobody expected, and expected ones that are missing. */
export async function alarmsAt<T extends Target>(
  { name, findings: known = [], open }: Good<T>,
  options: MatrixOptions<T>,
): Promise<readonly string[]> {
  const { findings } = await reportOn(open, options);
  const expected = new Set(known.map(({ requirement }) => requirement));
  const found = findings.filter(({ status }) => status === "fail" || status === "error");
  return [
    ...found
      .filter(({ status, requirement: { id } }) => status === "error" || !expected.has(id))
      .map((one) => `${name}: ${one.check} ${one.status} ${one.requirement.id}: ${one.message}`),
    ...[...expected]
      .filter((id) => !found.some(({ requirement }) => requirement.id === id))
      .map((id) => `${name}: ${id} is listed as a finding, but was not found`),
  ];
}
