import type { SettledDelivery } from "../store/operations/deliveries/settle-deliveries.ts";
import type { Attempt } from "./attempt.ts";
import type { DeliveryPolicy } from "./policy.ts";
import { parseRetryAfter } from "./retry-after.ts";
import { waitAfter } from "./schedule.ts";

/** What a policy says of an attempt that is over. */
export type DecidingPolicy = Pick<DeliveryPolicy, "schedule" | "success" | "gone">;

/**
 * What becomes of a delivery (S 6.6): a success delivers it; a receiver that is gone drops it; every
 * other answer and none, redirects included, is a failure that waits for the next attempt or has
 * used up the last one. The schedule goes by the attempts whose ends are recorded: one that was cut short uses
 * none up, or processes that are killed would leave a receiver fewer.
 *
 * @param at `now` in the time of the delivery's clock, in milliseconds; `random` from 0 to below 1; `recorded`:
 *   attempts of the delivery that are recorded before this one.
 */
export function decide(
  { claim, answer, startedAt, durationMs }: Attempt,
  at: { readonly now: number; readonly random: number; readonly recorded: number },
  policy: DecidingPolicy,
): SettledDelivery {
  const base = { id: claim.id, attempt: claim.attempt };
  if (isSuccess(answer, policy)) return { ...base, state: "delivered", nextAt: null };
  if (isGone(answer, policy)) return { ...base, state: "dropped", nextAt: null };
  const retryAfter =
    answer.kind === "answered"
      ? parseRetryAfter(answer.retryAfter, startedAt + durationMs)
      : undefined;
  const wait = waitAfter(
    { attempt: at.recorded + 1, retryAfter, random: at.random },
    policy.schedule,
  );
  return wait === undefined
    ? { ...base, state: "exhausted", nextAt: null }
    : { ...base, state: "waiting", nextAt: at.now + wait };
}

/** Whether an answer delivers the event, as the profile says. */
export function isSuccess(
  answer: Attempt["answer"],
  { success }: Pick<DeliveryPolicy, "success">,
): boolean {
  if (answer.kind === "unanswered") return false;
  return success === "2xx"
    ? answer.status >= 200 && answer.status <= 299
    : success.includes(answer.status);
}

/** Whether the receiver wants nothing more: it is gone, or says so in as many words. */
export function isGone(answer: Attempt["answer"], { gone }: Pick<DeliveryPolicy, "gone">): boolean {
  return answer.kind === "answered" && (answer.status === gone || answer.disables === true);
}
