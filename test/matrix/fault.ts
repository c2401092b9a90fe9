import type { Target } from "@countersign/contract-kit";

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
