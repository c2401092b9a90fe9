import { startDeadline } from "./clock.ts";
import { ClientError, type CallName, type Failure, type Result } from "./errors.ts";
import { exchange, type Request } from "./exchange.ts";
import { checkMilliseconds, type CallOptions, type Settings } from "./options.ts";
import type { GetToken } from "./tokens.ts";

/** One call of the interface, ready to be sent. */
export interface Call<T> extends Omit<Request<T>, "headers" | "secrets"> {
  readonly name: CallName;
  /** True if calling twice has the effect of calling once. Only such a call is retried. */
  readonly isIdempotent: boolean;
  /** Secrets in the body. */
  readonly secrets?: readonly string[];
  /** Reads a refusal that may be a success. */
  readonly onRefusal?: (failure: Failure) => Result<T>;
}

export interface Running extends Settings {
  readonly getToken: GetToken;
  /** Aborted by `close`: running attempts end, no new ones begin. */
  readonly closing: AbortSignal;
}

/**
 * Makes a call: attempts it until it has a final answer, no attempts are left, or its time is up.
 *
 * @throws {ClientError}
 * @throws {TypeError} `timeoutMs` is not an integer from 1 to a day.
 */
export async function makeCall<T>(
  running: Running,
  call: Call<T>,
  { signal: caller, timeoutMs = running.timeoutMs }: CallOptions = {},
): Promise<T> {
  const { clock, getToken, closing } = running;
  checkMilliseconds("timeoutMs", timeoutMs);
  const endsAt = clock.elapsed() + timeoutMs;
  const deadline = startDeadline(clock, timeoutMs);
  const signal = AbortSignal.any([deadline.signal, ...(caller === undefined ? [] : [caller])]);
  const { name, method } = call;
  const errorOf = (failure: Failure): ClientError =>
    new ClientError(failure, { call: name, attempts, mayBeDone: doubt && method !== "GET" });
  let attempts = 0;
  let doubt = false;
  let isRenewed = false;
  try {
    while (!signal.aborted && !closing.aborted) {
      attempts += 1;
      // 1. A token, and one exchange with it.
      let token = await getToken(signal);
      if (closing.aborted) break;
      let result = token.ok ? await send(running, call, { token: token.value, signal }) : token;
      // 2. The first 401 of a call gets a new token and another exchange: a rejected call has no effect.
      if (token.ok && !result.ok && result.failure.status === 401 && !isRenewed) {
        isRenewed = true;
        const refused = token.value;
        token = await getToken(signal, refused);
        if (!token.ok) result = token;
        else if (token.value !== refused)
          result = await send(running, call, { token: token.value, signal });
      }
      if (result.ok) return result.value;
      // 3. The failure: may the call be done, and is another attempt worth its wait?
      const { failure } = result;
      const { mayBeDone, isTransient } = judge(failure);
      // A later refusal resolves no earlier doubt, unless it says that another request has the key.
      doubt = mayBeDone || (doubt && failure.code !== "CS_REQUEST_KEY_USED");
      if (signal.aborted) break;
      const isRetried = call.isIdempotent && isTransient && attempts < running.maxAttempts;
      const waitMs = isRetried ? retryWait(running, attempts, failure.retryAfterMs) : Infinity;
      // Waiting until the deadline would give the caller no more information than the failure.
      if (waitMs >= endsAt - clock.elapsed()) throw errorOf(failure);
      await clock.sleep(waitMs, AbortSignal.any([signal, closing]));
    }
    if (caller?.aborted === true)
      throw errorOf({ code: "CS_CALL_ABORTED", cause: caller.reason as unknown });
    throw errorOf({ code: signal.aborted ? "CS_CALL_TIMEOUT" : "CS_CLIENT_CLOSED" });
  } finally {
    deadline.end();
  }
}

async function send<T>(
  running: Running,
  { method, path, body, secrets = [], validate, onRefusal }: Call<T>,
  { token, signal }: { readonly token: string; readonly signal: AbortSignal },
): Promise<Result<T>> {
  // S 1: all three on every call, Content-Type without a body too.
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    authorization: `Bearer ${token}`,
  };
  const request = { method, path, headers, body, secrets: [token, ...secrets], validate };
  const result = await exchange(running, request, signal);
  if (result.ok || result.failure.code !== "CS_CALL_REFUSED") return result;
  return onRefusal?.(result.failure) ?? result;
}

/** Judges a failure: may the provider have carried out the call, and may another attempt get another answer? */
function judge(failure: Failure): { readonly mayBeDone: boolean; readonly isTransient: boolean } {
  const { code, status = 0, reason, existing } = failure;
  // 501 and 505: the server will not learn it while we wait.
  const isTransientStatus =
    [408, 429].includes(status) || (status >= 500 && ![501, 505].includes(status));
  switch (code) {
    case "CS_UNREACHABLE":
    case "CS_TOKEN_UNAVAILABLE":
      return { mayBeDone: false, isTransient: true };
    case "CS_CONNECTION_LOST":
    case "CS_CALL_TIMEOUT":
      return { mayBeDone: true, isTransient: true };
    case "CS_ANSWER_UNREADABLE":
      return { mayBeDone: true, isTransient: reason !== "status" };
    case "CS_TOKEN_REFUSED":
      return { mayBeDone: false, isTransient: isTransientStatus };
    case "CS_CALL_REFUSED":
      // A gateway answers 408 and 5xx for a service that may have done its work.
      return { mayBeDone: status === 408 || status >= 500, isTransient: isTransientStatus };
    case "CS_REQUEST_KEY_USED":
      // Without `existing` it may be this refund, requested before, that has the key.
      return { mayBeDone: existing === undefined, isTransient: false };
    case "CS_CALL_ABORTED":
      return { mayBeDone: true, isTransient: false };
    case "CS_REQUEST_INVALID":
    case "CS_CLIENT_CLOSED":
      return { mayBeDone: false, isTransient: false };
    default:
      return code satisfies never;
  }
}

/**
 * The wait before the next attempt, in milliseconds: at most 250 before the second, doubled for each later one up to
 * 8000, random from half of that up, so that calls which failed together do not retry together. At least `Retry-After`.
 */
function retryWait({ random }: Settings, attempts: number, retryAfterMs = 0): number {
  const longest = Math.min(8000, 250 * 2 ** (attempts - 1));
  return Math.max(retryAfterMs, Math.round(longest * (0.5 + random() / 2)));
}
