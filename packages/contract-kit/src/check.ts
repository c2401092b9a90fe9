import type { Verdict } from "./finding.ts";
import type { ProviderTarget, ReceiverTarget, Target } from "./target.ts";

/** The run's parameters for each check. */
export interface CheckContext {
  /** Of everything that is generated; equal seeds make equal scenarios. */
  readonly seed: number;
  /** Path of a failure in the seed's runs, to replay it. */
  readonly path?: string;
  /** Ids of the requirements that the run judges. Default: all of the check's. */
  readonly owed?: readonly string[];
  /** Number of scenarios of a generated check, 1 or more. */
  readonly runs: number;
}

/** Code that tests one or more requirements against a live target. */
export interface CheckOf<T extends Target> {
  /** `provider/…` or `receiver/…`; never renamed. */
  readonly id: string;
  /** One line that describes it. */
  readonly title: string;
  readonly role: T["role"];
  /** Ids of the requirements that it says something of. */
  readonly requirements: readonly string[];
  /**
   * @returns A verdict of each of its requirements.
   * @throws {Error} The check itself broke, or the target is not there: an `error`, never a failure.
   */
  readonly run: (target: T, context: CheckContext) => Promise<readonly Verdict[]>;
}

export type ProviderCheck = CheckOf<ProviderTarget>;
export type ReceiverCheck = CheckOf<ReceiverTarget>;
