import type { Verdict } from "../check.ts";
import type { Exchange } from "../exchange-text.ts";
import type { Reply } from "./message.ts";

/** A check's observations of each of its requirements. */
export interface Docket {
  /**
   * Records one observation. A requirement passes if it was observed at least once and never failed.
   *
   * @param shown Requests and answers for the report, in order.
   * @param fault The expected and actual behaviour, if the observation is a failure.
   */
  readonly judge: (
    requirement: string,
    holds: boolean,
    shown: readonly (Exchange | Pick<Reply, "exchange"> | undefined)[],
    fault: () => string,
  ) => void;
  /** Like `judge`, of one reply: the fault is what was expected and what came. */
  readonly answered: (requirement: string, holds: boolean, reply: Reply, wanted: string) => void;
  /** Like `judge`, for half of a requirement: a success proves nothing, a failure is a fault. */
  readonly refute: Docket["judge"];
  /** True if it has failed. */
  readonly hasFailed: (requirement: string) => boolean;
  /** Records why this target cannot show a requirement; used only if there was no observation. */
  readonly unseen: (requirement: string, reason: string) => void;
  /** The requirement that the next attempts are sent for: it fails if one of them ends or hangs the target. */
  subject: string;
  /** @param ended The reason why the check ended early: requirements without an observation are skipped with it. */
  readonly verdicts: (ended?: string) => readonly Verdict[];
}

const MAX_TOLD = 5;

export function openDocket(check: string, requirements: readonly [string, ...string[]]): Docket {
  const faults = new Map<string, { message: string; exchanges: readonly Exchange[] }[]>();
  const seen = new Set<string>();
  const reasons = new Map<string, string>();
  const own = (requirement: string): void => {
    if (!requirements.includes(requirement))
      throw new TypeError(`${check} does not name ${requirement}`);
  };
  const refute: Docket["judge"] = (requirement, holds, shown, fault) => {
    own(requirement);
    if (holds) return;
    const before = faults.get(requirement) ?? [];
    const exchanges = shown.flatMap((one) =>
      one === undefined ? [] : "exchange" in one ? [one.exchange()] : [one],
    );
    faults.set(requirement, [...before, { message: fault(), exchanges }]);
  };
  const judge: Docket["judge"] = (...observed) => {
    refute(...observed);
    seen.add(observed[0]);
  };
  return {
    subject: requirements[0],
    judge,
    answered: (requirement, holds, reply, wanted) =>
      judge(requirement, holds, [reply], () => `${wanted}, got ${reply.said}`),
    refute,
    hasFailed: (requirement) => faults.has(requirement),
    unseen: (requirement, reason) => {
      own(requirement);
      reasons.set(requirement, reason);
    },
    verdicts: (ended) =>
      requirements.map((requirement): Verdict => {
        const found = faults.get(requirement);
        if (found !== undefined) return failure(requirement, found);
        if (ended !== undefined) return { requirement, status: "skipped", message: ended };
        if (seen.has(requirement)) return { requirement, status: "pass" };
        const message = reasons.get(requirement) ?? "no answer of the receiver showed it";
        return { requirement, status: "not_applicable", message };
      }),
  };
}

function failure(
  requirement: string,
  found: readonly { readonly message: string; readonly exchanges: readonly Exchange[] }[],
): Verdict {
  const told = found.slice(0, MAX_TOLD);
  const more = found.length - told.length;
  const lines = told.map(({ message }) => message);
  const message = [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
  const exchanges = told.flatMap((one) => one.exchanges);
  return { requirement, status: "fail", message, evidence: { curl: [], exchanges } };
}
