import type { Evidence, Verdict } from "./check.ts";
import type { Exchange } from "./exchange-text.ts";

/** What a failure shows: requests and answers in order, or the evidence of a whole scenario. */
export type Shown = Evidence | readonly (Exchange | Recorded | undefined)[];

/** An answer that was recorded with its request. */
interface Recorded {
  exchange(): Exchange;
}

interface Failure {
  readonly message: string;
  readonly shown: Shown;
}

/** Failures of one requirement that its verdict lists; further ones are counted. */
const MAX_LISTED = 5;

/**
 * What one check has decided about each of its requirements. It collects and never throws, so that a check goes on
 * after a violation. A requirement passes if it was observed at least once and never failed.
 */
export class Verdicts {
  /** The check's id. */
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
   * @returns `holds`.
   */
  expect(requirement: string, holds: boolean, message: () => string, shown: Shown = []): boolean {
    if (holds) this.pass(requirement);
    else this.fail(requirement, message(), shown);
    return holds;
  }

  /** Records a failure. Where success would prove nothing, a check calls this and never `pass`. */
  fail(requirement: string, message: string, shown: Shown = []): void {
    this.#checkName(requirement);
    const before = this.#failures.get(requirement) ?? [];
    this.#failures.set(requirement, [...before, { message, shown }]);
  }

  pass(requirement: string): void {
    this.#checkName(requirement);
    this.#passed.add(requirement);
  }

  /** Records why the target cannot show a requirement; used only if nothing was observed. */
  notApplicable(requirement: string, reason: string): void {
    this.#checkName(requirement);
    this.#reasons.set(requirement, reason);
  }

  hasFailed(requirement: string): boolean {
    return this.#failures.has(requirement);
  }

  /** @param endedBy The reason why the check ended early: requirements without an observation are skipped with it. */
  list(endedBy?: string): readonly Verdict[] {
    return this.requirements.map((requirement): Verdict => {
      const failures = this.#failures.get(requirement);
      if (failures !== undefined) return failed(requirement, failures);
      if (endedBy !== undefined) return { requirement, status: "skipped", message: endedBy };
      if (this.#passed.has(requirement)) return { requirement, status: "pass" };
      const message = this.#reasons.get(requirement) ?? "no answer of the target showed it";
      return { requirement, status: "not_applicable", message };
    });
  }

  #checkName(requirement: string): void {
    if (!this.requirements.includes(requirement))
      throw new TypeError(`${this.check} does not name ${requirement}`);
  }
}

function failed(requirement: string, failures: readonly Failure[]): Verdict {
  // A check that sends several attempts for one reason need not say it several times.
  const messages = [...new Set(failures.map(({ message }) => message))];
  const listed = messages.slice(0, MAX_LISTED);
  const more = messages.length - listed.length;
  const evidence = failures
    .filter(({ message }, at) => failures.findIndex((one) => one.message === message) === at)
    .slice(0, MAX_LISTED)
    .map(({ shown }) => evidenceFrom(shown));
  const replay = evidence.find((one) => one.replay !== undefined)?.replay;
  return {
    requirement,
    status: "fail",
    message: [...listed, ...(more > 0 ? [`and ${more} more`] : [])].join("; "),
    evidence: {
      // Lines of one scenario run on their own; those of several would mix their variables.
      curl: evidence.find(({ curl }) => curl.length > 0)?.curl ?? [],
      exchanges: evidence.flatMap(({ exchanges = [] }) => exchanges),
      ...(replay && { replay }),
    },
  };
}

function evidenceFrom(shown: Shown): Evidence {
  if ("curl" in shown) return shown;
  const exchanges = shown.flatMap((one) =>
    one === undefined ? [] : "exchange" in one ? [one.exchange()] : [one],
  );
  return { curl: [], exchanges };
}
