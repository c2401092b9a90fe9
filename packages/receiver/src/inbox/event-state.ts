/**
 * ```
 *   waiting --claim, once due--> claimed --succeed--> handled
 *      ^                           |  \--supersede--> superseded (nothing ran)
 *      |                           |
 *      +---------- fail -----------+--after maxAttempts--> dead
 * ```
 * A claim ends with its lease: from then on the event can be claimed again. A dead event waits again after
 * `InboxQueue.retry`, and an attempt of its sender claims it as if it were new. Workers claim in SQL: `takeSql`.
 * Pure: no clock, no storage, no randomness.
 *
 * An event has each pair of `state` and `token` at most once in its life: a store that guards each update by the pair
 * it read has no lost update. The members are columns of every store.
 */
export interface EventState {
  readonly state: "waiting" | "claimed" | "handled" | "superseded" | "dead";
  /** Fences: it grows with every claim and never shrinks, so a claimer that lost its lease records nothing. */
  readonly token: number;
  /** Claims since the event was received or retried, counted before the handler runs: a crash counts too. */
  readonly attempts: number;
  /** When an open event can be claimed, in milliseconds since 1970: at its next attempt, or at the end of its lease. */
  readonly due_at: number;
  /** Of a dead event. A claim that runs exclusively has it from the beginning: nobody may be left to record it. */
  readonly reason: string | null;
}

export type EventStep =
  | { readonly type: "claim"; readonly now: number; readonly leaseMs: number }
  | { readonly type: "succeed" | "supersede"; readonly token: number }
  | {
      readonly type: "fail";
      readonly token: number;
      readonly retryAt: number;
      readonly reason: string;
      /** Attempts after which the event is dead. `Infinity` where the sender's next attempt is the retry. */
      readonly maxAttempts: number;
    };

/** The reason of an event whose last attempt ended without a word. */
export const LEASE_ENDED =
  "CS_CLAIM_LOST: the process ended, or the lease ended, while the handler ran";

/** The first state of an event: due at once, whatever another process's clock says. */
export const RECEIVED: EventState = {
  state: "waiting",
  token: 0,
  attempts: 0,
  due_at: 0,
  reason: null,
};

/** Returns the state after `step`, or `undefined` if `event` does not allow it. */
export function transition(event: EventState, step: EventStep): EventState | undefined {
  const { state, token, attempts, due_at } = event;
  if (step.type === "claim") {
    if (!isOpen(event) || due_at > step.now) return undefined;
    const counts = { token: token + 1, attempts: attempts + 1 };
    return { state: "claimed", ...counts, due_at: step.now + step.leaseMs, reason: null };
  }
  if (state !== "claimed" || token !== step.token) return undefined;
  if (step.type !== "fail") {
    const end = step.type === "succeed" ? "handled" : "superseded";
    return { state: end, token, attempts, due_at: 0, reason: null };
  }
  return attempts < step.maxAttempts
    ? { state: "waiting", token, attempts, due_at: step.retryAt, reason: null }
    : { state: "dead", token, attempts, due_at: 0, reason: step.reason };
}

/** True of a claim if nothing else may run in the process meanwhile. */
export const isExclusive = ({ state, reason }: EventState): boolean =>
  state === "claimed" && reason !== null;

/** True if the event waits for an attempt, or has one. */
export const isOpen = ({ state }: Pick<EventState, "state">): boolean =>
  state === "waiting" || state === "claimed";

export const isHandled = ({ state }: Pick<EventState, "state">): boolean =>
  state === "handled" || state === "superseded";

/** True while a claim's lease goes on. */
export const isHeld = ({ state, due_at }: EventState, now: number): boolean =>
  state === "claimed" && due_at > now;
