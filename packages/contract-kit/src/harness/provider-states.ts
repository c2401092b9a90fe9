import type { Send } from "../http-send.ts";
import type { ProviderTarget, StateChanges } from "../target.ts";
import { NotShown } from "./judge.ts";

export type Values = Readonly<Record<string, unknown>>;

/** The provider cannot be verified; the message says why in one sentence. */
export class TargetUnusableError extends Error {
  readonly code = "CS_KIT_TARGET_UNUSABLE";
  /** The token that was refused, if that is the reason. */
  readonly refused: "access token" | "state token" | undefined;
  constructor(
    message: string,
    { refused, ...options }: ErrorOptions & { refused?: "access token" | "state token" } = {},
  ) {
    super(message, options);
    this.name = "TargetUnusableError";
    this.refused = refused;
  }
}

/**
 * Brings the provider into a state.
 *
 * @param watch Sees the call. Default: nobody does.
 * @returns The values of the response, for the calls that follow.
 * @throws {NotShown} The provider has no such state: it answered 404 or 501.
 * @throws {Error} It failed to enter the state.
 */
export async function changeState(
  { url, send, token }: StateChanges,
  { state, params = {} }: { readonly state: string; readonly params?: Values },
  watch: (send: Send, url: string) => Send = (sent) => sent,
): Promise<Values> {
  const call = {
    method: "POST",
    path: "",
    headers: {
      authorization: `Bearer ${await token()}`,
      accept: "application/json",
      "content-type": "application/json",
    },
    body: JSON.stringify({ state, params, action: "setup" }),
  };
  // A kept connection may close just when it is used again; preparing a state twice is harmless.
  const answer = await watch(
    send,
    url,
  )(call).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ECONNRESET")
      return watch(send, url)(call);
    throw error;
  });
  const text = Buffer.from(answer.body).toString();
  if (answer.status === 404 || answer.status === 501)
    throw new NotShown(`the state-change URL does not prepare the state "${state}"`);
  if (answer.status >= 300)
    throw new Error(
      `state "${state}": POST ${withoutQuery(url)} → ${answer.status} ${text.slice(0, 500)}`,
    );
  try {
    // An answer may be empty, or an object with the state's values.
    return (text === "" ? {} : JSON.parse(text)) as Values;
  } catch (cause) {
    throw new Error(`state "${state}": POST ${withoutQuery(url)} did not answer JSON`, { cause });
  }
}

/**
 * Finds out whether a provider can be verified, before any check runs.
 *
 * @param isStateUrlGiven True if the user named the state-change URL: then it must exist.
 * @returns The target; without `states` if nothing prepares any.
 * @throws {TargetUnusableError} It does not answer, refuses the token, or is another service.
 */
export async function probeProvider(
  target: ProviderTarget,
  { isStateUrlGiven }: { readonly isStateUrlGiven: boolean },
): Promise<ProviderTarget> {
  const { send } = target;
  const url = withoutQuery(target.url);
  const headers = {
    authorization: `Bearer ${await target.token()}`,
    accept: "application/json",
    "content-type": "application/json",
  };
  const hasPayments = target.profile.payments === true;
  const path = hasPayments ? "/v1/refunds" : "/v1/webhook/subscribe";
  const asked = { method: "POST", path, headers, body: "{}" };
  const customer = { method: "GET", path: "/v1/customers/cus_that_is_not_there", headers };
  const looked = hasPayments ? customer : asked;
  const read = await reached(url, () => send(looked));
  if (read.status === 401)
    throw new TargetUnusableError(
      `${url} refuses the access token: ${looked.method} ${looked.path} → 401`,
      { refused: "access token" },
    );
  const answer = await reached(url, () => send(asked));
  if (answer.status === 404 && !/json/.test(read.headers["content-type"] ?? ""))
    throw new TargetUnusableError(`${url} is not a service of this interface: POST ${path} → 404`);
  const { states } = target;
  if (states === undefined) return target;
  const probe = {
    method: "POST",
    path: "",
    headers: { ...headers, authorization: `Bearer ${await states.token()}` },
    body: JSON.stringify({ state: "a merchant", params: {}, action: "teardown" }),
  };
  const at = withoutQuery(states.url);
  const { status } = await reached(at, () => states.send(probe));
  if (status < 300) return target;
  if (isStateUrlGiven) {
    if (status !== 401 && status !== 403)
      throw new TargetUnusableError(`${at} does not prepare states: POST → ${status}`);
    throw new TargetUnusableError(`${at} refuses the access token: POST → ${status}`, {
      refused: "state token",
    });
  }
  const { states: _, ...bare } = target;
  return bare;
}

async function reached<T>(url: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    throw new TargetUnusableError(`${url} does not answer: ${reason}`, { cause });
  }
}

/** A query may hold a key. */
function withoutQuery(url: string): string {
  return url.replace(/\?.*/s, "");
}
