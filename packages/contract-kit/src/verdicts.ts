import { isDeepStrictEqual } from "node:util";
import type { Verdict } from "./check.ts";
import type { Exchange } from "./exchange-text.ts";
import { difference } from "./values.ts";

/** Evidence of a failure: requests and answers in order. */
export type Shown = readonly (Exchange | Recorded | undefined)[];

/** An answer that was recorded with its request. */
interface Recorded {
  exchange(): Exchange;
}

interface Failure {
  readonly message: string;
  readonly shown: Shown;
  readonly isWarning: boolean;
}

/** Failures of one requirement that its verdict lists; further ones are counted. */
const MAX_LISTED = 5;

/**
 * The decisions of one check about each of its requirements. It collects and never throws, so that a check goes on
 * after a violation. A requirement passes if it was observed at least once and never failed.
 */
export class Verdicts {
  readonly check: string;
  /** Ids of the requirements that the check decides about. */
  readonly requirements: readonly string[];
  readonly #failures = new Map<string, Failure[]>();
  readonly #passed = new Set<string>();
  readonly #reasons = new Map<string, string>();

  constructor(check: string, requirements: readonly string[]) {
    this.check = check;
    this.requirements = requirements;
  }

  /**
   * Records one observation.
   *
   * @param message The expected and actual behaviour, if it does not hold.
   * @param shown The evidence of a failure. Default: that of `fail`.
   * @returns `holds`.
   */
  expect(requirement: string, holds: boolean, message: string, shown?: Shown): boolean {
    if (holds) this.pass(requirement);
    else this.fail(requirement, message, shown);
    return holds;
  }

  expectEqual(requirement: string, what: string, got: unknown, wanted: unknown): boolean {
    const areEqual = isDeepStrictEqual(got, wanted);
    return this.expect(requirement, areEqual, difference(what, got, wanted));
  }

  /** Records a failure. Where success would prove nothing, a check calls this and never `pass`. */
  fail(requirement: string, message: string, shown: Shown = [], isWarning = false): void {
    this.#checkName(requirement);
    const before = this.#failures.get(requirement) ?? [];
    this.#failures.set(requirement, [...before, { message, shown, isWarning }]);
  }

  /** Records what a correct target may do, and which loses events in the circumstances that the message names. */
  warn(requirement: string, message: string, shown: Shown = []): void {
    this.fail(requirement, message, shown, true);
  }

  pass(requirement: string): void {
    this.#checkName(requirement);
    this.#passed.add(requirement);
  }

  /** Records why the target cannot show a requirement: its verdict is "not applicable" unless something is observed too. */
  notApplicable(requirement: string, reason: string): void {
    this.#checkName(requirement);
    this.#reasons.set(requirement, reason);
  }

  hasFailed(requirement: string): boolean {
    return this.#failures.get(requirement)?.some(({ isWarning }) => !isWarning) === true;
  }

  /** Removes all passes: what the check has seen proves nothing. */
  withdrawPasses(): void {
    this.#passed.clear();
  }

  /**
   * @param endedBy The reason why the check ended early: requirements without an observation are skipped with it.
   * @param otherwise The reason for other requirements without an observation.
   * @param status The status of those. Default: `not_applicable`.
   */
  list(
    endedBy?: string,
    otherwise = "no answer of the target showed it",
    status: "not_applicable" | "skipped" = "not_applicable",
  ): readonly Verdict[] {
    return this.requirements.map((requirement): Verdict => {
      const failures = this.#failures.get(requirement);
      if (failures !== undefined) return failed(requirement, failures);
      if (endedBy !== undefined) return { requirement, status: "skipped", message: endedBy };
      if (this.#passed.has(requirement)) return { requirement, status: "pass" };
      const reason = this.#reasons.get(requirement);
      return reason === undefined
        ? { requirement, status, message: otherwise }
        : { requirement, status: "not_applicable", message: reason };
    });
  }

  #checkName(requirement: string): void {
    if (!this.requirements.includes(requirement))
      throw new TypeError(`${this.check} does not name ${requirement}`);
  }
}

export const exchangesIn = (shown: Shown): readonly Exchange[] =>
  shown.flatMap((one) => (one === undefined ? [] : "exchange" in one ? [one.exchange()] : [one]));

function failed(requirement: string, failures: readonly Failure[]): Verdict {
  // A check that sends several attempts for one reason need not say it several times.
  const messages = [...new Set(failures.map(({ message }) => message))];
  const listed = messages.slice(0, MAX_LISTED);
  const more = messages.length - listed.length;
  const exchanges = failures
    .filter(({ message }, at) => failures.findIndex((one) => one.message === message) === at)
    .slice(0, MAX_LISTED)
    .flatMap(({ shown }) => exchangesIn(shown));
  const message = [...listed, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
  const isWarning = failures.every((one) => one.isWarning);
  return { requirement, status: "fail", message, exchanges, ...(isWarning && { isWarning }) };
}
