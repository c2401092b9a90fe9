import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { collectBytes } from "@countersign/rules";

/** The kit's own receiver, on an address that the provider reaches. */
export interface HostedReceiver {
  /** True if its addresses are https, as most services require. */
  readonly isSecure: boolean;
  /** An address that no other subscription has. Default answer: 204. */
  readonly open: (answer?: AnswerAttempt) => Place;
  readonly close: () => void;
}

/** The response to an attempt, from the earlier ones at its place. */
export type AnswerAttempt = (
  attempt: Omit<ReceivedAttempt, "answer">,
  earlier: readonly ReceivedAttempt[],
) => AttemptAnswer;

export type AttemptAnswer =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Delay of the answer in milliseconds. Default 0. */
      readonly afterMs?: number;
    }
  /** Ends the connection without an answer. */
  | "reset"
  /** Sends no answer until the place closes. */
  | "silence";

/** An attempt as received. */
export interface ReceivedAttempt {
  readonly method: string;
  readonly path: string;
  /** Names in lower case; a repeated header is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The received bytes. */
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
}

/** The largest body that is kept, in bytes. */
const MAX_BYTES = 1_048_576;
/** Limit of kept attempts per place, so that a target cannot fill the memory. */
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
}: HostOptions = {}): Promise<HostedReceiver> {
  const places = new Map<string, Place>();
  let opened = 0;
  const server = createServer((request, response) => {
    // A proxy may have added or removed a path prefix.
    const [path = ""] = (request.url ?? "").split("?", 1);
    const place = places.get(path.slice(path.lastIndexOf("/") + 1));
    if (place === undefined) response.writeHead(404).end();
    else void place.take(request, response);
  });
  // A socket that breaks only means an attempt that did not arrive.
  server.on("clientError", (_error, socket) => socket.destroy());
  server.listen(port, host);
  await once(server, "listening");
  // A TCP server's address is not a path.
  const { port: taken } = server.address() as AddressInfo;
  const base = callbackUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${taken}`;
  return {
    isSecure: base.startsWith("https:"),
    open: (answer = () => ({ status: 204 })) => {
      const name = `place-${String(opened++)}`;
      const forget = (): unknown => places.delete(name);
      const url = `${base.replace(/\/+$/, "")}/${name}`;
      const place = new Place({ url, answer, deliveryMs, forget });
      places.set(name, place);
      return place;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface PlaceOptions {
  readonly url: string;
  readonly answer: AnswerAttempt;
  readonly deliveryMs: number;
  readonly forget: () => void;
}

/** An address of the kit's receiver, with its attempts. */
export class Place {
  readonly url: string;
  /** In order of arrival. */
  readonly attempts: ReceivedAttempt[] = [];
  readonly #options: PlaceOptions;
  readonly #arrivals = new EventEmitter();
  readonly #silent = new Set<ServerResponse>();

  constructor(options: PlaceOptions) {
    this.url = options.url;
    this.#options = options;
  }

  /** True if the condition is met before the limit; resolves as soon as it is. Default limit: `deliveryMs`. */
  async until(
    fits: (attempts: readonly ReceivedAttempt[]) => boolean,
    limitMs: number = this.#options.deliveryMs,
  ): Promise<boolean> {
    const signal = AbortSignal.timeout(limitMs);
    while (!fits(this.attempts)) {
      if (signal.aborted) return false;
      await once(this.#arrivals, "attempt", { signal }).catch(() => undefined);
    }
    return true;
  }

  /** Answers pending attempts, and accepts no more. */
  close(): void {
    for (const response of this.#silent) response.writeHead(204).end();
    this.#options.forget();
  }

  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (body === undefined) return;
    const { method = "", url: path = "" } = request;
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [
        name,
        [value ?? ""].flat().join(", "),
      ]),
    );
    const attempt = { method, path, headers, body, at: Date.now() };
    const answer = this.#options.answer(attempt, this.attempts);
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

/** `undefined` if the sender disconnected, or sent more than is kept. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array | undefined> {
  // Without an encoding the chunks are bytes.
  const bytes = await collectBytes(request as AsyncIterable<Buffer>, MAX_BYTES).catch(
    () => undefined,
  );
  if (bytes === undefined) request.destroy();
  return bytes;
}
