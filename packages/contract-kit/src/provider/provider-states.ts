import { isRecord, messageOf } from "../values.ts";
import type { HttpCall } from "../http-send.ts";
import type { ProviderTarget, StateChanges } from "../target.ts";

export type Values = Readonly<Record<string, unknown>>;

/** The target cannot be brought into the state that a scenario needs, which is not its fault. */
export class StateMissing extends Error {}

/** The provider cannot be verified; the message says why in one sentence. */
export class TargetUnusableError extends Error {
  readonly code = "CS_KIT_TARGET_UNUSABLE";
  /** The token that was refused, if that is the reason. */
  readonly refused: "access token" | "state token" | undefined;
  constructor(message: string, refused?: TargetUnusableError["refused"], options?: ErrorOptions) {
    super(message, options);
    this.name = "TargetUnusableError";
    this.refused = refused;
  }
}

/**
 * Brings the provider into a state.
 *
 * @returns The values of the response, for the calls that follow.
 * @throws {StateMissing} The provider has no such state: it answered 404 or 501.
 * @throws {Error} It failed to enter the state.
 */
export async function changeState(
  { url, send, token }: StateChanges,
  state: string,
  params: Values = {},
): Promise<Values> {
  const call = post("", await token(), JSON.stringify({ state, params, action: "setup" }));
  // A kept connection may close just when it is used again; preparing a state twice is harmless.
  const answer = await send(call).catch((error: unknown) => {
    if (isRecord(error) && error["code"] === "ECONNRESET") return send(call);
    throw error;
  });
  const text = Buffer.from(answer.body).toString();
  if (answer.status === 404 || answer.status === 501)
    throw new StateMissing(`the state-change URL does not prepare the state "${state}"`);
  const where = `state "${state}": POST ${withoutQuery(url)}`;
  if (answer.status >= 300) throw new Error(`${where} → ${answer.status} ${text.slice(0, 500)}`);
  try {
    // An answer may be empty, or an object with the state's values.
    return (text === "" ? {} : JSON.parse(text)) as Values;
  } catch (cause) {
    throw new Error(`${where} did not answer JSON`, { cause });
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
  const asked = post("/v1/refunds", await target.token(), "{}");
  const { body: _, ...bare } = asked;
  const path = "/v1/customers/cus_that_is_not_there";
  const url = withoutQuery(target.url);
  if ((await reached(target, { ...bare, method: "GET", path })) === 401) {
    const message = `${url} refuses the access token: GET ${path} → 401`;
    throw new TargetUnusableError(message, "access token");
  }
  const status = await reached(target, asked);
  // A service of this interface refuses an empty object for its members.
  if (status === 404 || status === 405)
    throw new TargetUnusableError(
      `${url} is not a service of this interface: POST ${asked.path} → ${status} (countersign verify sender tests webhooks of any)`,
    );
  const { states, ...stateless } = target;
  if (states === undefined) return target;
  const order = JSON.stringify({ state: "a merchant", params: {}, action: "teardown" });
  const prepared = await reached(states, post("", await states.token(), order));
  if (prepared < 300) return target;
  if (!isStateUrlGiven) return stateless;
  const at = withoutQuery(states.url);
  throw prepared === 401 || prepared === 403
    ? new TargetUnusableError(`${at} refuses the access token: POST → ${prepared}`, "state token")
    : new TargetUnusableError(`${at} does not prepare states: POST → ${prepared}`);
}

/** A call of the interface, or of the state-change URL. */
export function post(path: string, token: unknown, body: string): HttpCall {
  const headers = {
    authorization: `Bearer ${String(token)}`,
    accept: "application/json",
    "content-type": "application/json",
  };
  return { method: "POST", path, headers, body };
}

/** The status of an answer. */
async function reached({ url, send }: Pick<StateChanges, "url" | "send">, call: HttpCall) {
  try {
    return (await send(call)).status;
  } catch (cause) {
    const reason = messageOf(cause) || String(cause);
    const message = `${withoutQuery(url)} does not answer: ${reason}`;
    throw new TargetUnusableError(message, undefined, { cause });
  }
}

/** A query may hold a key. */
function withoutQuery(url: string): string {
  return url.replace(/\?.*/s, "");
}
