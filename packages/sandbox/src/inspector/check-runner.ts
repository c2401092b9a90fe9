/** Runs the checks of a receiver against the one address of the command line. */
export interface CheckRunner {
  /** Every requirement that some check would test, in the order in which they run. */
  readonly owed: () => Promise<readonly object[]>;
  /**
   * One run from the first check to the last.
   *
   * @returns The report, as the kit tells it; nothing in it is secret.
   * @throws {Error} The target cannot be opened.
   */
  readonly run: (watch: CheckWatch) => Promise<object>;
}

export interface CheckWatch {
  /** Ends the run: what has no finding yet is skipped. */
  readonly signal: AbortSignal;
  readonly onCheck: (at: CheckProgress) => void;
  /** A finding as it comes, as the report's entry. */
  readonly onEntry: (entry: object) => void;
}

/** Which check runs. */
export interface CheckProgress {
  readonly check: string;
  readonly title: string;
  /** Counts from 1. */
  readonly place: number;
  readonly total: number;
}
