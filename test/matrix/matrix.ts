import {
  defaultFailOn,
  levels,
  run,
  type Finding,
  type Report,
  type RunOptions,
  type Target,
} from "@countersign/contract-kit";

export interface Opened<T extends Target> {
  readonly target: T;
  readonly close: () => Promise<void>;
}

/** A target that breaks one requirement. */
export interface Fault<T extends Target> {
  readonly requirement: string;
  /** The mistake, as one reads it after "a receiver that": unique within its role. */
  readonly what: string;
  /** The check that the quick lane runs. Default: all that test the requirement. */
  readonly check?: string;
  /** True if only checks that wait for a target's own deadlines can see it. */
  readonly isSlow: boolean;
  /** Opens a new target for each run, since targets remember events. */
  readonly open: () => Promise<Opened<T>>;
}

/** Changes to an honest target, by `REQUIREMENT: WHAT` or `CHECK REQUIREMENT: WHAT`. */
export type FaultTable<Change> = Readonly<Record<string, Change>>;

/** The rows of a table: the last word of the key's head is the requirement. */
export const rowsOf = <Change>(table: FaultTable<Change>) =>
  Object.entries(table).map(([name, change]) => {
    const [head = "", what = ""] = name.split(": ", 2);
    return {
      check: head.split(" ")[0] ?? "",
      requirement: head.split(" ").at(-1) ?? "",
      what,
      change,
    };
  });

/** A true finding at a target whose only fault is its library's or its platform's. */
export interface TrueFinding {
  readonly requirement: string;
  readonly why: string;
  /** The bytes that show it, as they are sent, a line each. */
  readonly bytes: readonly string[];
}

/** A target without intended faults. */
export interface Good<T extends Target> {
  readonly name: string;
  /** Returns the reason why this machine cannot run it, or `undefined`. */
  readonly missing?: () => string | undefined;
  /** True for a typical merchant's receiver: only failures that fail a run by default are alarms. */
  readonly isStock?: boolean;
  readonly findings?: readonly TrueFinding[];
  readonly open: () => Promise<Opened<T>>;
}

export interface MatrixOptions<T extends Target> extends Pick<
  RunOptions<T>,
  "checks" | "requirements" | "seed" | "runs" | "only"
> {
  readonly slow?: boolean;
  /** Targets that run concurrently. Default 1. */
  readonly atOnce?: number;
}

/** Runs the checks of its requirement against each broken target, and returns what went unnoticed. */
export async function missedOf<T extends Target>(
  faults: readonly Fault<T>[],
  { atOnce = 1, ...options }: MatrixOptions<T>,
): Promise<readonly string[]> {
  const missed: string[] = [];
  const left = faults.values();
  const work = async (): Promise<void> => {
    for (const { requirement, what, check, open } of left) {
      const one = options.checks.filter(({ id }) => id === check);
      const only = { ...(check && { checks: one }), only: [requirement] };
      // oxlint-disable-next-line no-await-in-loop -- `atOnce` of them at a time
      const { findings } = await reportOn(open, { ...options, ...only });
      if (!findings.some(({ status }) => status === "fail"))
        missed.push(`${requirement} does not catch: ${what}`);
      for (const finding of findings)
        if (finding.status === "error")
          missed.push(`${what}: ${finding.check}: ${finding.message}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return missed;
}

async function reportOn<T extends Target>(
  open: () => Promise<Opened<T>>,
  { slow = false, ...options }: MatrixOptions<T>,
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

/** Unexpected findings at a good target, and missing expected ones. */
export async function alarmsAt<T extends Target>(
  { name, findings: known = [], isStock = false, open }: Good<T>,
  options: MatrixOptions<T>,
): Promise<readonly string[]> {
  const { findings } = await reportOn(open, options);
  const expected = new Set(known.map(({ requirement }) => requirement));
  const found = findings.filter(({ status }) => status === "fail" || status === "error");
  const isAlarm = ({ status, requirement: { id, level } }: Finding): boolean =>
    status === "error" || (isStock ? defaultFailOn.includes(level) : !expected.has(id));
  return [
    ...found
      .filter(isAlarm)
      .map((one) => `${name}: ${one.check} ${one.status} ${one.requirement.id}: ${one.message}`),
    ...[...expected]
      .filter((id) => !found.some(({ requirement }) => requirement.id === id))
      .map((id) => `${name}: ${id} is listed as a finding, but was not found`),
  ];
}
