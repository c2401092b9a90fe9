import type { Send } from "../http.ts";
import { basicOf, type Credentials } from "../checks/provider/token-calls.ts";

export interface ClientTokenOptions {
  readonly send: Send;
  /** The profile's path of the token endpoint. */
  readonly path: string;
  readonly client: Credentials;
  /** Milliseconds. Default: this machine's clock. */
  readonly now?: () => number;
}

/** Milliseconds before its end at which a token is asked for anew: a call must not meet it. */
const BEFORE_END_MS = 30_000;

/**
 * Access tokens of a client, asked for when there is none or the last one is about to end.
 *
 * @returns The source of tokens. It rejects where none is granted, and names the answer without the secret.
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
