import {
  run,
  type CheckOf,
  type Finding,
  type Requirement,
  type Target,
} from "@countersign/contract-kit";
import type { Opened } from "./matrix.ts";

/** What the kit rightly finds at a target that is good but for this. */
export interface TrueFinding {
  readonly requirement: string;
  /** What the target's library or platform does. */
  readonly why: string;
  /** What shows it, as it is sent, a line each. */
  readonly bytes: readonly string[];
}

/** A target without faults of its own making. */
export interface Good<T extends Target> {
  readonly name: string;
  /** Why this machine cannot run it, where it cannot. */
  readonly missing?: string;
  readonly findings?: readonly TrueFinding[];
  readonly open: () => Promise<Opened<T>>;
}

export interface GoodOptions<T extends Target> {
  readonly checks: readonly CheckOf<T>[];
  readonly requirements: readonly Requirement[];
  readonly seed?: number;
  readonly runs?: number;
  /** Whether checks run that wait for the target's own deadlines. Default: they do not. */
  readonly slow?: boolean;
}

/** What a run found at a good target that nobody expected, or did not find that was expected. */
export async function alarmsAt<T extends Target>(
  { name, findings: known = [], open }: Good<T>,
  { checks, requirements, seed = 1, runs, slow = false }: GoodOptions<T>,
): Promise<readonly string[]> {
  const { target, close } = await open();
  try {
    const report = await run({
      target: slow ? { ...target, slow } : target,
      checks,
      requirements,
      strict: true,
      seed,
      ...(runs !== undefined && { runs }),
    });
    const expected = new Set(known.map(({ requirement }) => requirement));
    const found = report.findings.filter(isAlarm);
    return [
      ...found
        .filter(({ status, requirement: { id } }) => status === "error" || !expected.has(id))
        .map((one) => `${name}: ${one.check} ${one.status} ${one.requirement.id}: ${one.message}`),
      ...[...expected]
        .filter((id) => !found.some(({ requirement }) => requirement.id === id))
        .map((id) => `${name}: ${id} is listed as found, and was not`),
    ];
  } finally {
    await close();
  }
}

const isAlarm = ({ status }: Finding): boolean => status === "fail" || status === "error";
