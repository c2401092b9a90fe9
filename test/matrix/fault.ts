import type { Target } from "@countersign/contract-kit";

/** A target that listens until it is closed. */
export interface Opened<T extends Target> {
  readonly target: T;
  readonly close: () => Promise<void>;
}

/** A target that breaks one requirement and keeps the rest. */
export interface Fault<T extends Target> {
  /** Id of the requirement that must catch it. */
  readonly requirement: string;
  /** The mistake, as one reads it after "a receiver that": unique within its role. */
  readonly what: string;
  /** Ids of other requirements that catch it too, each with the reason why they must. */
  readonly also: Readonly<Record<string, string>>;
  /** The check that the quick lane runs. Default: all that test the requirement. */
  readonly check?: string;
  /** True if only checks that wait for a target's own deadlines can see it. */
  readonly isSlow: boolean;
  /** Opens a new target for each run, since targets remember events. */
  readonly open: () => Promise<Opened<T>>;
}

/** Changes to an honest target: by requirement, then by what the changed target does wrong. */
export type FaultTable<Change> = Readonly<Record<string, Readonly<Record<string, Change>>>>;

/** Other requirements that catch a fault, by the fault's words; each with its reason. */
export type Exceptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The rows of tables. A requirement may appear in several. */
export function rowsOf<Change>(
  ...tables: readonly FaultTable<Change>[]
): readonly { readonly key: string; readonly what: string; readonly change: Change }[] {
  return tables.flatMap((table) =>
    Object.entries(table).flatMap(([key, changes]) =>
      Object.entries(changes).map(([what, change]) => ({ key, what, change })),
    ),
  );
}
