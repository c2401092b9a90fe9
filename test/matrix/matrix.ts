import { run, type CheckOf, type Requirement, type Target } from "@countersign/contract-kit";

/** A target that listens, as long as nobody closes it. */
export interface Opened<T extends Target> {
  readonly target: T;
  readonly close: () => Promise<void>;
}

/** A target that breaks one requirement, and keeps the rest. */
export interface Fault<T extends Target> {
  /** Id of the requirement that must catch it. */
  readonly requirement: string;
  /** What it does wrong, as one reads it after "a receiver that": unique within its role. */
  readonly what: string;
  /** Ids of other requirements that catch it too, each with the reason why they must. */
  readonly also?: Readonly<Record<string, string>>;
  /** Whether only checks that wait for a target's deadlines can see it. */
  readonly isSlow?: boolean;
  /** Made anew for each run: targets keep what they have seen. */
  readonly open: () => Promise<Opened<T>>;
}

/** What the checks found at one broken target. */
export interface Row {
  readonly requirement: string;
  readonly what: string;
  readonly also: Readonly<Record<string, string>>;
  /** Ids of the requirements that caught it, sorted. */
  readonly caughtBy: readonly string[];
  /** Checks that broke, which says nothing of the target. */
  readonly errors: readonly string[];
}

export interface MatrixOptions<T extends Target> {
  readonly faults: readonly Fault<T>[];
  readonly checks: readonly CheckOf<T>[];
  readonly requirements: readonly Requirement[];
  /** Whether each fault meets only what is to catch it. Default: it meets every check. */
  readonly isShort?: boolean;
  /** Default 1. */
  readonly seed?: number;
  /** Scenarios of a generated check. Default: the kit's. */
  readonly runs?: number;
  /** Targets that are met at the same time. Default 1. */
  readonly atOnce?: number;
  readonly onRow?: (row: Row) => void;
}

/** Runs the checks against each broken target: one row a fault, in their order. */
export async function matrixOf<T extends Target>(
  options: MatrixOptions<T>,
): Promise<readonly Row[]> {
  const { faults, atOnce = 1, onRow } = options;
  const rows: Row[] = [];
  const left = faults.entries();
  const work = async (): Promise<void> => {
    for (const [index, fault] of left) {
      const row = await rowOf(fault, options);
      rows[index] = row;
      onRow?.(row);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return rows;
}

async function rowOf<T extends Target>(
  { requirement, what, also = {}, open }: Fault<T>,
  { checks, requirements, isShort = false, seed = 1, runs }: MatrixOptions<T>,
): Promise<Row> {
  const { target, close } = await open();
  try {
    const report = await run({
      target,
      checks,
      requirements,
      // A SHOULD that does not hold is a catch too.
      strict: true,
      seed,
      ...(runs !== undefined && { runs }),
      ...(isShort && { only: [requirement] }),
    });
    const ofStatus = (status: string): typeof report.findings =>
      report.findings.filter((finding) => finding.status === status);
    return {
      requirement,
      what,
      also,
      caughtBy: [...new Set(ofStatus("fail").map((one) => one.requirement.id))].toSorted(),
      errors: [...new Set(ofStatus("error").map((one) => `${one.check}: ${one.message}`))],
    };
  } finally {
    await close();
  }
}

/**
 * Where a matrix is not diagonal: a fault that its requirement does not catch, one that another
 * catches without an argued exception, an exception that nothing needs, a check that broke.
 */
export function offDiagonal(
  rows: readonly Row[],
  { isShort = false }: { readonly isShort?: boolean } = {},
): readonly string[] {
  return rows.flatMap(({ requirement, what, also, caughtBy, errors }) => {
    const excused = new Set([requirement, ...Object.keys(also)]);
    return [
      ...(caughtBy.includes(requirement) ? [] : [`${requirement} does not catch: ${what}`]),
      ...caughtBy
        .filter((id) => !excused.has(id) && !isShort)
        .map((id) => `${id} catches ${requirement}'s: ${what}`),
      ...Object.keys(also)
        .filter((id) => !caughtBy.includes(id) && !isShort)
        .map((id) => `${id} is excused and does not catch: ${what}`),
      ...errors.map((error) => `${what}: ${error}`),
    ];
  });
}
