import { attempt, type Line, type Renewal } from "./attempt.ts";
import type { Call } from "./call.ts";
import { startLimits } from "./call-limits.ts";
import { errorOf } from "./error-of.ts";
import type { ClientError } from "./errors.ts";
import { mayBeDone, type Failure } from "./failure.ts";
import type { CallOptions } from "./options.ts";
import { retryWaitMs } from "./retry.ts";
import type { Settings } from "./settings.ts";

export interface Running extends Line {
  readonly settings: Settings;
  /** Aborted by `close`: running attempts end, no new ones begin. */
  readonly closing: AbortSignal;
}

/**
 * Makes a call: retries an idempotent one after failures until it has a final
 * answer.
 *
 * @throws {ClientError}
 */
export async function runCall<T>(
  running: Running,
  call: Call<T>,
  options: CallOptions,
): Promise<T> {
  const { settings, closing } = running;
  const limits = startLimits(settings, options);
  const renewal: Renewal = { isSpent: false };
  let doubt = false;
  let attempts = 0;
  const fail = (failure: Failure): ClientError =>
    errorOf(
      failure,
      { call: call.name, attempts, mayBeDone: call.changes && doubt },
      options.signal?.reason,
    );
  try {
    while (limits.stopped() === undefined && !closing.aborted) {
      attempts += 1;
      const answered = await attempt(running, call, { renewal, signal: limits.signal });
      if (answered.ok) return answered.value;
      const { failure } = answered;
      doubt = doubtAfter(failure, doubt);
      if (failure.code === "CS_CALL_ABORTED") break;
      const waitMs = call.isIdempotent
        ? retryWaitMs(failure, {
            attempt: attempts,
            policy: settings.retry,
            random: settings.random,
          })
        : undefined;
      // Waiting until the deadline would give the caller no more information than the failure.
      if (waitMs === undefined || waitMs >= limits.remainingMs()) throw fail(failure);
      await pause(settings, waitMs, AbortSignal.any([limits.signal, closing]));
    }
    throw fail({ code: limits.stopped() ?? "CS_CLIENT_CLOSED" });
  } finally {
    limits.end();
  }
}

/**
 * True if the provider may have carried out the call. A later refusal does not resolve an earlier uncertainty,
 * unless it says that another request has the key.
 */
function doubtAfter(failure: Failure, before: boolean): boolean {
  if (failure.code === "CS_REQUEST_KEY_USED") return mayBeDone(failure);
  return before || mayBeDone(failure);
}

async function pause({ time }: Settings, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await time.sleep(ms, signal);
  } catch (error) {
    // Aborted: the loop sees by what. Anything else is the caller's own timer that failed.
    if (!signal.aborted) throw error;
  }
}
