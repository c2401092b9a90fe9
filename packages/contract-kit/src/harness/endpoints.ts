import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { collectBytes } from "@countersign/rules";
import type { Exchange } from "../exchange-text.ts";
import type { HttpCall } from "../http-send.ts";
import { joinedHeaders } from "../values.ts";

/** The kit's own receiver, on an address that the provider reaches. */
export interface HostedReceiver {
  readonly url: string;
  /** True if its addresses are https, as most services require. */
  readonly isSecure: boolean;
  /** An address that no other subscription has. Default answer: 204. */
  readonly open: (answer?: AnswerAttempt, isForeign?: IsForeign) => Endpoint;
  readonly close: () => void;
}

/** The response to an attempt, from the earlier ones at its endpoint. */
export type AnswerAttempt = (
  attempt: Omit<ReceivedAttempt, "answer">,
  earlier: readonly ReceivedAttempt[],
) => AttemptAnswer;

/** True if an attempt belongs to another endpoint: it is answered 204 and forgotten. */
type IsForeign = (attempt: Omit<ReceivedAttempt, "answer">) => boolean;

export type AttemptAnswer =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Delay of the answer in milliseconds. Default 0. */
      readonly afterMs?: number;
    }
  /** Ends the connection without an answer. */
  | "reset"
  /** Sends no answer until the endpoint closes. */
  | "silence";

export interface ReceivedAttempt {
  readonly method: string;
  readonly path: string;
  /** The URL that the sender was given, with the query that arrived. */
  readonly url: string;
  /** Names in lower case; a repeated header is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Time of arrival, in milliseconds of this machine's clock. */
  readonly at: number;
  readonly answer: AttemptAnswer;
}

export interface HostOptions {
  /** The address to listen on. Default `127.0.0.1`. */
  readonly host?: string;
  /** Default: any free one. */
  readonly port?: number;
  /** The base URL by which the provider reaches it. Default: the address and the port. */
  readonly callbackUrl?: string;
  /** Milliseconds that a delivery may take to arrive. Default 5 000. */
  readonly deliveryMs?: number;
  /** True to give attempts at other paths to the endpoint that was opened last: some senders know one URL only. */
  readonly takesAnyPath?: boolean;
}

/** Begins the path of each endpoint. */
const NAME = "endpoint-";
/** The largest body that is kept, in bytes. */
const MAX_BYTES = 1_048_576;
/** Limit of kept attempts per endpoint, so that a target cannot fill the memory. */
const MAX_ATTEMPTS = 2000;

/**
 * The kit's own receiver: keeps the raw bytes of each attempt and answers as a check says.
 *
 * @throws {Error} The address or the port cannot be listened on.
 */
export async function hostReceiver({
  host = "127.0.0.1",
  port = 0,
  callbackUrl,
  deliveryMs = 5000,
  takesAnyPath = false,
}: HostOptions = {}): Promise<HostedReceiver> {
  const endpoints = new Map<string, Endpoint>();
  let opened = 0;
  let last: Endpoint | undefined;
  const server = createServer((request, response) => {
    // A proxy may have added or removed a path prefix.
    const [path = ""] = (request.url ?? "").split("?", 1);
    const name = path.slice(path.lastIndexOf("/") + 1);
    const isOther = takesAnyPath && !name.startsWith(NAME);
    const endpoint = isOther ? last : endpoints.get(name);
    if (endpoint === undefined) response.writeHead(404).end();
    else
      void endpoint.receive(request, response, isOther ? new URL(path, base).href : endpoint.url);
  });
  // A socket that breaks only means an attempt that did not arrive.
  server.on("clientError", (_error, socket) => socket.destroy());
  server.listen(port, host);
  await once(server, "listening");
  // A TCP server's address is not a path.
  const { port: taken } = server.address() as AddressInfo;
  const base = callbackUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${taken}`;
  return {
    url: base,
    isSecure: base.startsWith("https:"),
    open: (answer = () => ({ status: 204 }), isForeign = () => false) => {
      const name = `${NAME}${String(opened++)}`;
      const forget = (): unknown => endpoints.delete(name);
      const url = `${base.replace(/\/+$/, "")}/${name}`;
      last = new Endpoint({ url, answer, isForeign, deliveryMs, forget });
      endpoints.set(name, last);
      return last;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface EndpointOptions {
  readonly url: string;
  readonly answer: AnswerAttempt;
  readonly isForeign: IsForeign;
  readonly deliveryMs: number;
  readonly forget: () => void;
}

export class Endpoint {
  readonly url: string;
  readonly attempts: ReceivedAttempt[] = [];
  readonly #options: EndpointOptions;
  // Several checks may wait at once.
  readonly #arrivals = new EventEmitter().setMaxListeners(0);
  readonly #silent = new Set<ServerResponse>();

  constructor(options: EndpointOptions) {
    this.url = options.url;
    this.#options = options;
  }

  /** True if the condition is met before the limit; resolves as soon as it is. Default limit: `deliveryMs`. */
  async until(
    fits: (attempts: readonly ReceivedAttempt[]) => boolean,
    limitMs: number = this.#options.deliveryMs,
  ): Promise<boolean> {
    const signal = AbortSignal.timeout(Math.ceil(limitMs));
    while (!fits(this.attempts)) {
      if (signal.aborted) return false;
      await once(this.#arrivals, "attempt", { signal }).catch(() => undefined);
    }
    return true;
  }

  /** Answers 204 to the attempts that wait for an answer. */
  answerWaiting(): void {
    for (const response of this.#silent) response.writeHead(204).end();
    this.#silent.clear();
  }

  /** Answers pending attempts, and accepts no more. */
  close(): void {
    this.answerWaiting();
    this.#options.forget();
  }

  /** @param url The URL that the sender has called, without its query. */
  async receive(
    request: IncomingMessage,
    response: ServerResponse,
    url: string = this.url,
  ): Promise<void> {
    // Without an encoding the chunks are bytes.
    const chunks = request as AsyncIterable<Buffer>;
    const body = await collectBytes(chunks, MAX_BYTES).catch(() => undefined);
    // The sender disconnected, or sent more than is kept.
    if (body === undefined) return void request.destroy();
    const { method = "", url: path = "" } = request;
    const headers = joinedHeaders(request.headers);
    const [query = ""] = /\?.*$/s.exec(path) ?? [];
    const attempt = { method, path, url: url + query, headers, body, at: Date.now() };
    const { answer: answerTo, isForeign } = this.#options;
    if (isForeign(attempt)) {
      response.writeHead(204).end();
      return;
    }
    const answer = answerTo(attempt, this.attempts);
    if (this.attempts.length < MAX_ATTEMPTS) this.attempts.push({ ...attempt, answer });
    this.#arrivals.emit("attempt");
    if (answer === "silence") {
      this.#silent.add(response);
      response.on("close", () => this.#silent.delete(response));
    } else if (answer === "reset") request.socket.destroy();
    else {
      if (answer.afterMs !== undefined) await setTimeout(answer.afterMs, undefined, { ref: false });
      if (!response.destroyed) response.writeHead(answer.status, answer.headers).end();
    }
  }
}

export function attemptExchange({ method, path, answer, ...attempt }: ReceivedAttempt): Exchange {
  return {
    sent: typeof answer === "string" ? "" : httpText(String(answer.status), answer),
    received: httpText(`${method} ${path}`, attempt),
  };
}

export function httpText(
  line: string,
  { headers = {}, body = "" }: Partial<Pick<HttpCall, "headers" | "body">>,
): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [line, ...fields, "", Buffer.from(body).toString()].join("\r\n");
}
