import { setTimeout } from "node:timers/promises";
import type { HttpAnswer, Send } from "../http-send.ts";
import { basicOf, type Credentials } from "./calls.ts";

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
    const { status, body } = await send({
      method: "POST",
      path,
      headers: {
        authorization: `Basic ${basicOf(client)}`,
        accept: "application/json",
        "content-type": "application/x-www-form-urlencoded",
      },
      body: "grant_type=client_credentials",
    });
    const said = parsed(body);
    const { access_token: token, expires_in: seconds } = said;
    if (status !== 200 || typeof token !== "string") {
      const why = typeof said["error"] === "string" ? ` ${said["error"]}` : "";
      throw new Error(`no access token was granted: POST ${path} → ${status}${why}`);
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

function parsed(body: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString());
    // An object of JSON has members of any kind.
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export interface PaceOptions {
  /** Calls per second, above 0; `Infinity`: no limit. */
  readonly perSecond: number;
  /** Lets time pass, in milliseconds. Default: by waiting. */
  readonly sleep?: (ms: number) => Promise<unknown>;
  /** Milliseconds of a clock that only goes forward. Default: this machine's. */
  readonly now?: () => number;
}

/** Number of retries of a rate-limited call. */
const MAX_AGAIN = 3;
/** Longest wait for a target's `Retry-After`, in milliseconds. */
const MAX_WAIT_MS = 65_000;

/**
 * Limits the calls per second, and retries a call that was answered 429: a target that
 * limits its rates is not tested against them, and its refusal is not a finding.
 */
export function pacedSend(
  send: Send,
  { perSecond, sleep = setTimeout, now = () => performance.now() }: PaceOptions,
): Send {
  let free = 0;
  const turn = async (): Promise<void> => {
    const at = Math.max(now(), free);
    free = at + 1000 / perSecond;
    if (at > now()) await sleep(at - now());
  };
  return async (call) => {
    for (let made = 0; ; made += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      await turn();
      // oxlint-disable-next-line no-await-in-loop -- likewise
      const answer = await send(call);
      if (answer.status !== 429 || made === MAX_AGAIN) return answer;
      // oxlint-disable-next-line no-await-in-loop -- likewise
      await sleep(waitOf(answer));
    }
  };
}

/** `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3), from a second up. */
function waitOf({ headers }: HttpAnswer): number {
  const { "retry-after": field = "", date = "" } = headers;
  const until = Date.parse(field);
  // The answer's own Date, since the target's clock need not be this machine's.
  const ms = /^\d+$/.test(field) ? Number(field) * 1000 : until - Date.parse(date);
  return Math.min(MAX_WAIT_MS, Math.max(1000, Number.isFinite(ms) ? ms : 1000));
}
