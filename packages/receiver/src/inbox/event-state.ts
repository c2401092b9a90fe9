/**
 * ```
 *   waiting --claim, once due--> claimed --succeed--> handled
 *      ^                           |  \--supersede--> superseded (nothing ran)
 *      |                           |
 *      +---------- fail -----------+--after maxAttempts--> dead
 * ```
 * A claim ends with its lease: from then on the event can be claimed again. If that was its second attempt or
 * its last one, nothing else runs next to it: a process that ended may have been ended by another event. It is dead
 * where its last attempt ran alone and its lease ended. A dead event waits again after `InboxQueue.retry`, and an
 * attempt of its sender claims it as if it were new. Pure: no clock, no storage, no randomness. Times are
 * milliseconds since 1970.
 *
 * `token` fences: it grows with every claim and never shrinks, so a claimer that lost its lease records
 * nothing. An event has each pair of `at` and `token` at most once in its life: a store that guards each
 * update by the pair it read has no lost update.
 */
export type EventState =
  | ({ readonly at: "waiting"; readonly dueAt: number } & Counts)
  | ({
      readonly at: "claimed";
      readonly leaseEndsAt: number;
      /** True if nothing else may run in the process meanwhile. */
      readonly alone?: boolean | undefined;
    } & Counts)
  | ({ readonly at: "handled" | "superseded" } & Counts)
  | ({ readonly at: "dead"; readonly reason: string } & Counts);

interface Counts {
  readonly token: number;
  /** Claims since the event was received or retried, counted before the handler runs: a crash counts too. */
  readonly attempts: number;
}

export type EventStep =
  | ({ readonly type: "claim"; readonly now: number; readonly leaseMs: number } & Limit)
  | { readonly type: "succeed" | "supersede"; readonly token: number }
  | ({
      readonly type: "fail";
      readonly token: number;
      readonly retryAt: number;
      readonly reason: string;
    } & Limit);

interface Limit {
  /** Attempts after which the event is dead. `Infinity` where the sender's next attempt is the retry. */
  readonly maxAttempts: number;
}

/** The reason of an event whose last attempt ended without a word. */
export const LEASE_ENDED =
  "CS_CLAIM_LOST: the process ended, or the lease ended, while the handler ran";

/** The first state of an event: due at once, whatever another process's clock says. */
export const RECEIVED: EventState = { at: "waiting", token: 0, attempts: 0, dueAt: 0 };

/** Returns the state after `step`, or `undefined` if `state` does not allow it. */
export function transition(state: EventState, step: EventStep): EventState | undefined {
  const { token, attempts } = state;
  switch (step.type) {
    case "claim": {
      if (!isDue(state, step.now)) return undefined;
      if (state.at === "claimed" && state.alone === true && attempts >= step.maxAttempts)
        return { at: "dead", token: token + 1, attempts, reason: LEASE_ENDED };
      const leaseEndsAt = step.now + step.leaseMs;
      const alone = runsAlone(state, step);
      return { at: "claimed", token: token + 1, attempts: attempts + 1, leaseEndsAt, alone };
    }
    case "succeed":
    case "supersede":
      if (state.at !== "claimed" || token !== step.token) return undefined;
      return { at: step.type === "succeed" ? "handled" : "superseded", token, attempts };
    case "fail":
      if (state.at !== "claimed" || token !== step.token) return undefined;
      return attempts < step.maxAttempts
        ? { at: "waiting", token, attempts, dueAt: step.retryAt }
        : { at: "dead", token, attempts, reason: step.reason };
    default:
      return step satisfies never;
  }
}

/** True if the event, once its lease has ended, may only run alone. */
export const runsAlone = ({ at, attempts }: EventState, { maxAttempts }: Limit): boolean =>
  at === "claimed" && attempts >= Math.min(2, maxAttempts);

/** True if the event waits for an attempt, or has one. */
export const isOpen = ({ at }: EventState): boolean => at === "waiting" || at === "claimed";

export const isHandled = ({ at }: EventState): boolean => at === "handled" || at === "superseded";

/** When an open event can be claimed: at its next attempt, or at the end of its lease. */
export function dueAtOf(state: EventState): number {
  switch (state.at) {
    case "waiting":
      return state.dueAt;
    case "claimed":
      return state.leaseEndsAt;
    case "handled":
    case "superseded":
    case "dead":
      return 0;
    default:
      return state satisfies never;
  }
}

const isDue = (state: EventState, now: number): boolean => isOpen(state) && dueAtOf(state) <= now;
