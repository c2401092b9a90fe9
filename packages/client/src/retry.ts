import type { Failure } from "./failure.ts";
import type { RetryPolicy } from "./settings.ts";

/**
 * Returns the wait before the next attempt of an idempotent call, in milliseconds. Waits grow
 * exponentially, each random between half of its maximum and its maximum, so that calls which failed
 * together do not retry together. A longer `Retry-After` is respected.
 *
 * @param attempt Number of the attempt that failed, from 1.
 * @returns `undefined` if another attempt would get the same answer, or none soon.
 */
export function retryWaitMs(
  failure: Failure,
  { attempt, policy, random }: { attempt: number; policy: RetryPolicy; random: () => number },
): number | undefined {
  if (attempt >= policy.attempts || !isTransient(failure)) return undefined;
  const asked = retryAfterOf(failure);
  if (asked > policy.retryAfterMs) return undefined;
  const longest = Math.min(policy.maxMs, policy.baseMs * 2 ** (attempt - 1));
  return Math.max(asked, Math.round(longest * (0.5 + random() / 2)));
}

function isTransient(failure: Failure): boolean {
  switch (failure.code) {
    case "CS_UNREACHABLE":
    case "CS_CONNECTION_LOST":
    case "CS_CALL_TIMEOUT":
    case "CS_TOKEN_UNAVAILABLE":
      return true;
    case "CS_ANSWER_UNREADABLE":
      return failure.reason !== "status";
    case "CS_CALL_REFUSED":
      return isTransientStatus(failure.refusal.status);
    case "CS_TOKEN_REFUSED":
      return isTransientStatus(failure.status);
    case "CS_REQUEST_KEY_USED":
    case "CS_CALL_ABORTED":
    case "CS_CLIENT_CLOSED":
      return false;
    default:
      return failure satisfies never;
  }
}

// 501 and 505: the server will not learn it while we wait.
function isTransientStatus(status: number): boolean {
  return status === 429 || status === 408 || (status >= 500 && status !== 501 && status !== 505);
}

function retryAfterOf(failure: Failure): number {
  if (failure.code === "CS_CALL_REFUSED") return failure.refusal.retryAfterMs ?? 0;
  if (failure.code === "CS_TOKEN_REFUSED") return failure.retryAfterMs ?? 0;
  return 0;
}
