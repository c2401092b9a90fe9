import { readRefusal, readSuccess, redactor } from "./answers.ts";
import type { Call } from "./calls.ts";
import { errorOf, type ClientError } from "./errors.ts";
import { exchange, type Incoming, type Wire } from "./exchange.ts";
import { failed, mayBeDone, unreadable, type Failure, type Result } from "./failures.ts";
import { DAY_MS, whole, type CallOptions, type RetryPolicy, type Settings } from "./options.ts";
import { startDeadline } from "./time.ts";
import type { Tokens } from "./tokens.ts";

export interface Running extends Wire {
  readonly tokens: Tokens;
  /** Aborted by `close`: running attempts end, no new ones begin. */
  readonly closing: AbortSignal;
}

/**
 * Makes a call: retries an idempotent one after failures until it has a final answer.
 *
 * @throws {ClientError}
 * @throws {TypeError} `timeoutMs` is not a whole number from 1 to a day.
 */
export async function runCall<T>(
  running: Running,
  call: Call<T>,
  { signal: caller, timeoutMs }: CallOptions,
): Promise<T> {
  const { settings, closing } = running;
  const { time, timeouts, retry, random } = settings;
  const ms = whole("timeoutMs", timeoutMs ?? timeouts.callMs, [1, DAY_MS]);
  const endsAt = time.now() + ms;
  const deadline = startDeadline(time, ms);
  const signal =
    caller === undefined ? deadline.signal : AbortSignal.any([caller, deadline.signal]);
  const stopped = (): "CS_CALL_ABORTED" | "CS_CALL_TIMEOUT" | undefined => {
    if (caller?.aborted === true) return "CS_CALL_ABORTED";
    return deadline.signal.aborted ? "CS_CALL_TIMEOUT" : undefined;
  };
  const renewal: Renewal = { isSpent: false };
  let doubt = false;
  let attempts = 0;
  const fail = (failure: Failure): ClientError => {
    const facts = { call: call.name, attempts, mayBeDone: call.changes && doubt };
    return errorOf(failure, facts, caller?.reason);
  };
  try {
    while (stopped() === undefined && !closing.aborted) {
      attempts += 1;
      const answered = await attempt(running, call, { renewal, signal });
      if (answered.ok) return answered.value;
      const { failure } = answered;
      doubt = doubtAfter(failure, doubt);
      if (failure.code === "CS_CALL_ABORTED") break;
      const waitMs = call.isIdempotent
        ? retryWaitMs(failure, { attempts, policy: retry, random })
        : undefined;
      // Waiting until the deadline would give the caller no more information than the failure.
      if (waitMs === undefined || waitMs >= endsAt - time.now()) throw fail(failure);
      await pause(settings, waitMs, AbortSignal.any([signal, closing]));
    }
    throw fail({ code: stopped() ?? "CS_CLIENT_CLOSED" });
  } finally {
    deadline.end();
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

/** True if the call may still get a new token for a 401. Shared by its attempts. */
interface Renewal {
  isSpent: boolean;
}

/**
 * One attempt of a call: a token, one exchange, the answer. The first 401 of a call gets a new token
 * and another exchange, since a rejected call has no effect. Never rejects.
 */
async function attempt<T>(
  running: Running,
  call: Call<T>,
  { renewal, signal }: { readonly renewal: Renewal; readonly signal: AbortSignal },
): Promise<Result<T>> {
  const { tokens } = running;
  const token = await tokens.get(signal);
  if (!token.ok) return token;
  const { method, path, body } = call;
  // S 1: all three on every call, Content-Type without a body too.
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    authorization: `Bearer ${token.value}`,
  };
  const request = { method, path, headers, ...(body !== undefined && { body }) };
  const exchanged = await exchange(running, request, signal);
  if (!exchanged.ok) return exchanged;
  if (exchanged.value.status === 401 && !renewal.isSpent) {
    renewal.isSpent = true;
    tokens.refused(token.value);
    const next = await tokens.get(signal);
    if (!next.ok) return next;
    if (next.value !== token.value) return attempt(running, call, { renewal, signal });
  }
  return readAnswer(running, call, { answer: exchanged.value, token: token.value });
}

function readAnswer<T>(
  { settings: { limits, time } }: Running,
  { secrets, validate, settle }: Call<T>,
  { answer, token }: { readonly answer: Incoming; readonly token: string },
): Result<T> {
  if (answer.status >= 400) {
    const redact = redactor([token, ...secrets]);
    const reading = readRefusal(answer, { depth: limits.depth, now: time.now(), redact });
    if (!reading.ok) return reading;
    if (settle !== undefined) return settle(reading.value);
    return failed({ code: "CS_CALL_REFUSED", refusal: reading.value.refusal });
  }
  if (answer.status >= 300) return unreadable("status", answer.status);
  return readSuccess(answer, { depth: limits.depth, validate });
}

/**
 * Returns the wait before the next attempt of an idempotent call, in milliseconds. Waits grow
 * exponentially, each random between half of its maximum and its maximum, so that calls which failed
 * together do not retry together. A longer `Retry-After` is respected.
 *
 * @param attempts Number of attempts so far, from 1.
 * @returns `undefined` if another attempt would get the same answer, or none soon.
 */
function retryWaitMs(
  failure: Failure,
  { attempts, policy, random }: { attempts: number; policy: RetryPolicy; random: () => number },
): number | undefined {
  if (attempts >= policy.attempts || !isTransient(failure)) return undefined;
  const asked = retryAfterOf(failure);
  if (asked > policy.retryAfterMs) return undefined;
  const longest = Math.min(policy.maxMs, policy.baseMs * 2 ** (attempts - 1));
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
