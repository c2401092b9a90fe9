import type { Requirement } from "./requirement.ts";

/** What shows a failure: enough to see it again without this kit. */
export interface Evidence {
  /** The calls of the smallest scenario that fails, as lines for a shell; the token is `$TOKEN`. */
  readonly curl: readonly string[];
  /** What went over the wire, in order; the last is what failed. */
  readonly exchanges?: readonly Exchange[];
  /** What makes a generated check meet the same scenario again. */
  readonly replay?: Replay;
}

/**
 * What was sent and what came back, as text that `shownBytes` made: printable, at most a few kilobytes, and
 * without a secret. `received` is empty where nothing came.
 */
export interface Exchange {
  readonly sent: string;
  readonly received: string;
}

export interface Replay {
  readonly seed: number;
  /** Where in the seed's runs the smallest scenario stands, after shrinking. */
  readonly path: string;
}

/** What a check says of one requirement. */
export type Verdict =
  | { readonly requirement: string; readonly status: "pass" }
  | {
      readonly requirement: string;
      readonly status: "fail";
      /** What was expected and what came, in one or two sentences. */
      readonly message: string;
      readonly evidence?: Evidence;
    }
  | {
      readonly requirement: string;
      /** The target lacks what the check needs, or an earlier failure ended the check. */
      readonly status: "not_applicable" | "skipped";
      readonly message: string;
    };

/** What a check reports of one requirement. */
export interface Finding {
  readonly check: string;
  readonly requirement: Requirement;
  /**
   * `warn`: it does not hold, at a level that does not fail the run. `error`: the check itself broke, which says nothing of the target.
   * `not_applicable`: the target lacks what the check needs. `skipped`: somebody said so, or an earlier
   * failure ended the check.
   */
  readonly status: "pass" | "fail" | "warn" | "not_applicable" | "error" | "skipped";
  /** Empty where it passes. */
  readonly message: string;
  readonly evidence?: Evidence;
  /** How long the whole check took, in milliseconds. */
  readonly ms: number;
}
