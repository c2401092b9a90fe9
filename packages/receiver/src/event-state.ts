import type { Claim } from "./inbox.ts";

/**
 * ```
 *   (unknown) --claim--> claimed --complete--> handled
 *                         |   ^
 *               release   |   | claim
 *                         v   |
 *                        waiting
 * ```
 * A claim whose lease has ended may be claimed again. Pure: no clock, no storage. Times are milliseconds since 1970.
 */
export type EventState =
  | {
      readonly at: "claimed";
      readonly digest: string;
      readonly token: number;
      readonly leaseEndsAt: number;
    }
  | { readonly at: "waiting"; readonly digest: string; readonly token: number }
  | { readonly at: "handled"; readonly digest: string; readonly token: number };

/** The state after a claim, with the answer to the claimer. `state` stays as it was where the answer is not `claimed`. */
export function claim(
  state: EventState | undefined,
  request: { readonly digest: string; readonly leaseMs: number; readonly now: number },
): { readonly state: EventState | undefined; readonly answer: Claim } {
  // Judged before anything else: another body under a known key is never taken for a duplicate.
  if (state !== undefined && state.digest !== request.digest)
    return { state, answer: { state: "conflict" } };
  if (state?.at === "handled") return { state, answer: { state: "handled" } };
  if (state?.at === "claimed" && request.now < state.leaseEndsAt)
    return { state, answer: { state: "busy", until: state.leaseEndsAt } };

  // The token grows with every claim, so that a claimer that lost its lease cannot settle a later one.
  const token = (state?.token ?? 0) + 1;
  const leaseEndsAt = request.now + request.leaseMs;
  return {
    state: { at: "claimed", digest: request.digest, token, leaseEndsAt },
    answer: { state: "claimed", token },
  };
}

/** The state after a settlement, or `undefined` where `token` is not the current claim's. */
export function settle(
  state: EventState | undefined,
  settlement: { readonly token: number; readonly as: "handled" | "waiting" },
): EventState | undefined {
  if (state?.at !== "claimed" || state.token !== settlement.token) return undefined;
  return { at: settlement.as, digest: state.digest, token: state.token };
}
