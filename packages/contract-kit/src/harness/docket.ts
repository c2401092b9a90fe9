import type { Verdict } from "../check.ts";
import type { Exchange } from "../exchange-text.ts";
import { Reply } from "./message.ts";

/** What a failure shows: requests and answers for the report, in order. */
type Shown = readonly (Exchange | Reply | undefined)[];

interface Fault {
  readonly message: string;
  readonly exchanges: readonly Exchange[];
}

const MAX_TOLD = 5;

/** A check's observations of each of its requirements. */
export class Docket {
  /** The requirement that the next attempts are sent for: it fails if one of them ends or hangs the target. */
  subject: string;
  readonly check: string;
  readonly #requirements: readonly string[];
  readonly #faults = new Map<string, Fault[]>();
  readonly #seen = new Set<string>();
  readonly #reasons = new Map<string, string>();

  constructor(check: string, requirements: readonly [string, ...string[]]) {
    [this.subject] = requirements;
    this.check = check;
    this.#requirements = requirements;
  }

  /**
   * Records one observation. A requirement passes if it was observed at least once and never failed.
   *
   * @param fault The expected and actual behaviour, if the observation is a failure.
   */
  judge(requirement: string, holds: boolean, shown: Shown, fault: () => string): void {
    this.refute(requirement, holds, shown, fault);
    this.#seen.add(requirement);
  }

  /** Like `judge`, of one reply: the fault is what was expected and what came. */
  answered(requirement: string, holds: boolean, reply: Reply, wanted: string): void {
    this.judge(requirement, holds, [reply], () => `${wanted}, got ${reply.said}`);
  }

  /** Like `judge`, for half of a requirement: a success proves nothing, a failure is a fault. */
  refute(requirement: string, holds: boolean, shown: Shown, fault: () => string): void {
    this.#mustName(requirement);
    if (holds) return;
    const exchanges = shown.flatMap((one) =>
      one === undefined ? [] : one instanceof Reply ? [one.exchange()] : [one],
    );
    const before = this.#faults.get(requirement) ?? [];
    this.#faults.set(requirement, [...before, { message: fault(), exchanges }]);
  }

  /** Records why this target cannot show a requirement; used only if there was no observation. */
  unseen(requirement: string, reason: string): void {
    this.#mustName(requirement);
    this.#reasons.set(requirement, reason);
  }

  hasFailed(requirement: string): boolean {
    return this.#faults.has(requirement);
  }

  /** @param ended The reason why the check ended early: requirements without an observation are skipped with it. */
  verdicts(ended?: string): readonly Verdict[] {
    return this.#requirements.map((requirement): Verdict => {
      const faults = this.#faults.get(requirement);
      if (faults !== undefined) return failure(requirement, faults);
      if (ended !== undefined) return { requirement, status: "skipped", message: ended };
      if (this.#seen.has(requirement)) return { requirement, status: "pass" };
      const message = this.#reasons.get(requirement) ?? "no answer of the receiver showed it";
      return { requirement, status: "not_applicable", message };
    });
  }

  #mustName(requirement: string): void {
    if (!this.#requirements.includes(requirement))
      throw new TypeError(`${this.check} does not name ${requirement}`);
  }
}

function failure(requirement: string, faults: readonly Fault[]): Verdict {
  const told = faults.slice(0, MAX_TOLD);
  const more = faults.length - told.length;
  const lines = [...told.map(({ message }) => message), ...(more > 0 ? [`and ${more} more`] : [])];
  const exchanges = told.flatMap((one) => one.exchanges);
  return {
    requirement,
    status: "fail",
    message: lines.join("; "),
    evidence: { curl: [], exchanges },
  };
}
