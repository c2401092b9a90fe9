import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { collectBytes } from "@countersign/rules";
import { isRecord, joinedHeaders, parseJson, retryAfterMs } from "./values.ts";
import { type Clock, Pacer, systemClock } from "./harness/clock.ts";
import { checkOwned, loopbackLookup } from "./harness/owned-host.ts";

export interface HttpSendOptions {
  /** Milliseconds until a call without an answer fails. Default 10 000. */
  readonly timeoutMs?: number;
  /**
   * True to connect only to this machine, whatever the host's name resolves to. Default false.
   * A host that is another machine is refused with `CS_KIT_TARGET_NOT_OWNED`.
   */
  readonly isLoopbackOnly?: boolean;
}

/** Milliseconds that a connection is kept without a call. Servers end theirs after five seconds, or two. */
const IDLE_MS = 1500;
/** The largest body that is read. */
const MAX_BYTES = 1_048_576;

/**
 * Sends calls to `url` over kept connections: never through a proxy of the environment, never to where a
 * redirect points, and with the body's bytes as they are.
 *
 * @param url `http` or `https`; its path precedes each call's.
 * @returns The sender, and what closes its connections.
 */
export function httpSend(
  url: string,
  { timeoutMs = 10_000, isLoopbackOnly = false }: HttpSendOptions = {},
): { readonly send: Send; readonly close: () => void } {
  const base = url.replace(/\/+$/, "");
  if (isLoopbackOnly) checkOwned(new URL(base), undefined);
  const isSecure = new URL(base).protocol === "https:";
  // Shorter than the target's limit: a call on a connection that is being closed gets no answer.
  const kept = { keepAlive: true, timeout: IDLE_MS };
  const agent = isSecure ? new HttpsAgent(kept) : new HttpAgent(kept);
  const request = isSecure ? httpsRequest : httpRequest;
  const send: Send = async ({ method, path, headers, body }) => {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const length = bytes === undefined ? {} : { "content-length": String(bytes.length) };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sending = request(base + path, {
        method,
        agent,
        ...(isLoopbackOnly && { lookup: loopbackLookup() }),
        headers: { ...length, ...headers },
        signal: AbortSignal.timeout(timeoutMs),
      });
      sending.on("response", resolve).on("error", reject).end(bytes);
    });
    // A stream of bytes; leaving it ends the connection.
    const received = await collectBytes(response as AsyncIterable<Buffer>, MAX_BYTES);
    if (received === undefined) throw new Error(`the body exceeds ${MAX_BYTES} bytes`);
    const { statusCode: status = 0, headers: fields } = response;
    return { status, headers: joinedHeaders(fields), body: received };
  };
  return { send, close: () => agent.destroy() };
}

/** A call as it is sent: only headers that HTTP itself needs are added. */
export interface HttpCall {
  readonly method: string;
  /** Path and query, below the target's URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes, or text that is sent as UTF-8. */
  readonly body?: string | Uint8Array;
}

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case; a repeated header is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Sends a call to a target.
 *
 * @throws {Error} no answer came: refused, cut off, or not in time.
 */
export type Send = (call: HttpCall) => Promise<HttpAnswer>;

export interface Credentials {
  readonly id: string;
  readonly secret: string;
}

/** Both, each form-encoded as RFC 6749 says. */
export function basicOf({ id, secret }: Credentials): string {
  const [name, word] = [id, secret].map((one) => encodeURIComponent(one));
  return Buffer.from(`${name}:${word}`).toString("base64");
}

export interface ClientTokenOptions {
  readonly send: Send;
  /** The profile's path of the token endpoint. */
  readonly path: string;
  readonly client: Credentials;
  /** Milliseconds. Default: this machine's clock. */
  readonly now?: () => number;
}

/** Milliseconds before a token's end at which a new one is requested, so that no call uses an expired one. */
const BEFORE_END_MS = 30_000;

/**
 * Access tokens of a client, requested when the last one is missing or about to end.
 *
 * @returns The source of tokens. It rejects if none is granted, and names the answer without the secret.
 */
export function clientToken({
  send,
  path,
  client,
  now = Date.now,
}: ClientTokenOptions): () => Promise<string> {
  let last: Promise<{ readonly token: string; readonly until: number }> | undefined;
  const ask = async (): Promise<{ token: string; until: number }> => {
    const headers = {
      authorization: `Basic ${basicOf(client)}`,
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
    };
    const body = "grant_type=client_credentials";
    const answer = await send({ method: "POST", path, headers, body });
    const json = parseJson(answer.body);
    const { access_token: token, expires_in: seconds, error } = isRecord(json) ? json : {};
    if (answer.status !== 200 || typeof token !== "string") {
      const why = typeof error === "string" ? ` ${error}` : "";
      throw new Error(`no access token was granted: POST ${path} → ${answer.status}${why}`);
    }
    return { token, until: now() + Number(seconds ?? 0) * 1000 - BEFORE_END_MS };
  };
  return async () => {
    const held = await last?.catch(() => undefined);
    if (held !== undefined && now() < held.until) return held.token;
    last = ask();
    return (await last).token;
  };
}

/** Number of retries of a rate-limited call. */
const MAX_AGAIN = 3;
/** Longest wait for a target's `Retry-After`, in milliseconds. */
const MAX_WAIT_MS = 65_000;

/**
 * Limits the calls per second, and retries a call that was answered 429, more slowly: a target that
 * limits its rates is not tested against them, and its refusal is not a finding.
 *
 * @param perSecond Above 0; `undefined`: no limit.
 * @param clock Default: this machine's.
 */
export function pacedSend(
  send: Send,
  perSecond: number | undefined,
  clock: Clock = systemClock,
): Send {
  const pacer = new Pacer(clock, perSecond);
  return async (call) => {
    for (let made = 0; ; made += 1) {
      await pacer.wait();
      const answer = await send(call);
      if (answer.status !== 429 || made === MAX_AGAIN) return answer;
      pacer.slowDown(waitOf(answer));
    }
  };
}

/** The wait of a `Retry-After`, from a second up. */
function waitOf({ headers }: HttpAnswer): number {
  const { "retry-after": field = "", date = "" } = headers;
  // The answer's own Date, since the target's clock need not be this machine's.
  const ms = retryAfterMs(field, Date.parse(date)) ?? 0;
  return Math.min(MAX_WAIT_MS, Math.max(1000, Number.isNaN(ms) ? 0 : ms));
}
