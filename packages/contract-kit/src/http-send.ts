import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

import { checkOwned, loopbackLookup } from "./harness/owned-host.ts";

export interface HttpSendOptions {
  /** Milliseconds until a call without an answer fails. Default 10 000. */
  readonly timeoutMs?: number;
  /** The largest body that is read, in bytes. Default 1 MiB. */
  readonly maxBytes?: number;
  /**
   * True to connect only to this machine, whatever the host's name resolves to. Default false.
   * A host that is another machine is refused with `CS_KIT_TARGET_NOT_OWNED`.
   */
  readonly isLoopbackOnly?: boolean;
}

/** Milliseconds that a connection is kept without a call. Servers end theirs after five seconds, or two. */
const IDLE_MS = 1500;

/**
 * Sends calls to `url` over kept connections: never through a proxy of the environment, never to where a
 * redirect points, and with the body's bytes as they are.
 *
 * @param url `http` or `https`; its path precedes each call's.
 * @returns The sender, and what closes its connections.
 */
export function httpSend(
  url: string,
  { timeoutMs = 10_000, maxBytes = 1_048_576, isLoopbackOnly = false }: HttpSendOptions = {},
): { readonly send: Send; readonly close: () => void } {
  const base = url.replace(/\/+$/, "");
  if (isLoopbackOnly) checkOwned(new URL(base), undefined);
  const isSecure = new URL(base).protocol === "https:";
  // Shorter than the target's limit: a call on a connection that is being closed gets no answer.
  const kept = { keepAlive: true, timeout: IDLE_MS };
  const agent = isSecure ? new HttpsAgent(kept) : new HttpAgent(kept);
  const request = isSecure ? httpsRequest : httpRequest;
  const send: Send = ({ method, path, headers, body }) =>
    new Promise<HttpAnswer>((resolve, reject) => {
      const bytes = body === undefined ? undefined : Buffer.from(body);
      const length = bytes === undefined ? {} : { "content-length": String(bytes.length) };
      const sending = request(
        base + path,
        {
          method,
          agent,
          ...(isLoopbackOnly && { lookup: loopbackLookup() }),
          headers: { ...length, ...headers },
          signal: AbortSignal.timeout(timeoutMs),
        },
        (response) => {
          const chunks: Buffer[] = [];
          let size = 0;
          response.on("data", (chunk: Buffer) => {
            chunks.push(chunk);
            size += chunk.length;
            if (size > maxBytes) response.destroy(new Error(`the body exceeds ${maxBytes} bytes`));
          });
          response.on("error", reject);
          response.on("end", () => {
            resolve({
              status: response.statusCode ?? 0,
              headers: Object.fromEntries(
                Object.entries(response.headers).map(([name, value]) => [
                  name,
                  [value ?? ""].flat().join(", "),
                ]),
              ),
              body: Buffer.concat(chunks),
            });
          });
        },
      );
      sending.on("error", reject);
      sending.end(bytes);
    });
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
