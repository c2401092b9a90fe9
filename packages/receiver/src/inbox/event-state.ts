/**
 * ```
 *   received --claim--> claimed --succeed--> handled
 *                        |  ^  \--supersede--> superseded (handled, and nothing ran)
 *           fail, expire |  | claim, once `retryAt` has come
 *                        v  |
 *                       waiting              fail, expire, after `maxAttempts`: dead --revive--> waiting
 * ```
 * Pure: no clock, no storage, no randomness. Times are milliseconds since 1970.
 *
 * `token` fences: it grows with every claim and never shrinks, so that a claimer that lost its lease
 * settles nothing. A pair of `at` and `token` is met once in an event's life: a store that guards
 * each update by the pair it read has no lost update.
 */
export type EventState =
  | {
      readonly at: "received";
      readonly token: 0;
      readonly attempts: 0;
      readonly receivedAt: number;
    }
  | ({ readonly at: "claimed"; readonly leaseEndsAt: number } & Counts)
  | ({ readonly at: "waiting"; readonly retryAt: number } & Counts)
  | ({ readonly at: "handled" | "superseded" } & Counts)
  | ({ readonly at: "dead"; readonly reason: string } & Counts);

interface Counts {
  readonly token: number;
  /** Claims since the event was received or revived. Counted before the handler runs: one that ends the process counts too. */
  readonly attempts: number;
}

export type EventStep =
  | { readonly type: "claim"; readonly now: number; readonly leaseMs: number }
  | { readonly type: "succeed" | "supersede"; readonly token: number }
  | ({
      readonly type: "fail";
      readonly token: number;
      readonly retryAt: number;
      readonly reason: string;
    } & Limit)
  | ({ readonly type: "expire"; readonly now: number } & Limit)
  | { readonly type: "revive"; readonly now: number };

interface Limit {
  /** Attempts after which the event is dead. `Infinity` where the sender's next attempt is the retry. */
  readonly maxAttempts: number;
}

/** An event's first state. */
export function received(now: number): EventState {
  return { at: "received", token: 0, attempts: 0, receivedAt: now };
}

/** The state after `step`, or `undefined` where `state` does not admit it. */
export function transition(state: EventState, step: EventStep): EventState | undefined {
  switch (step.type) {
    case "claim":
      if (state.at !== "received" && state.at !== "waiting") return undefined;
      if (state.at === "waiting" && step.now < state.retryAt) return undefined;
      return {
        at: "claimed",
        token: state.token + 1,
        attempts: state.attempts + 1,
        leaseEndsAt: step.now + step.leaseMs,
      };
    case "succeed":
    case "supersede":
      if (state.at !== "claimed" || state.token !== step.token) return undefined;
      return {
        at: step.type === "succeed" ? "handled" : "superseded",
        token: state.token,
        attempts: state.attempts,
      };
    case "fail":
      if (state.at !== "claimed" || state.token !== step.token) return undefined;
      return waitOrDie(state, step);
    case "expire": {
      if (state.at !== "claimed" || step.now < state.leaseEndsAt) return undefined;
      const reason = "CS_CLAIM_LOST: the lease ended before the handler settled";
      return waitOrDie(state, { ...step, retryAt: step.now, reason });
    }
    case "revive":
      if (state.at !== "dead") return undefined;
      return { at: "waiting", token: state.token, attempts: 0, retryAt: step.now };
    default:
      return step satisfies never;
  }
}

function waitOrDie(
  { token, attempts }: Counts,
  { maxAttempts, retryAt, reason }: Limit & { readonly retryAt: number; readonly reason: string },
): EventState {
  return attempts < maxAttempts
    ? { at: "waiting", token, attempts, retryAt }
    : { at: "dead", token, attempts, reason };
}
