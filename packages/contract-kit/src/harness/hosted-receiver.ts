import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { AnswerAttempt, HostedReceiver, Place, ReceivedAttempt } from "../target.ts";

export interface HostOptions {
  /** The address to listen on. Default `127.0.0.1`. */
  readonly host?: string;
  /** Default: any free one. */
  readonly port?: number;
  /** The base URL by which the provider reaches it. Default: the address and the port. */
  readonly callbackUrl?: string;
  /** Milliseconds that a delivery may take. Default 5 000. */
  readonly deliveryMs?: number;
  /** The clock that decides if attempts are late, in milliseconds. Default: this machine's. */
  readonly now?: () => number;
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
  now = Date.now,
}: HostOptions = {}): Promise<HostedReceiver & { readonly close: () => void }> {
  const places = new Map<string, Opened>();
  let opened = 0;
  const server = createServer((request, response) => {
    // A proxy may have added or removed a path prefix.
    const [path = ""] = (request.url ?? "").split("?", 1);
    const name = path.slice(path.lastIndexOf("/") + 1);
    const place = places.get(name);
    if (place === undefined) response.writeHead(404).end();
    else void keep(place, { request, response, now });
  });
  // A socket that breaks only means an attempt that did not arrive.
  server.on("clientError", (_error, socket) => socket.destroy());
  server.listen(port, host);
  await once(server, "listening");
  // A TCP server's address is not a path.
  const { port: taken } = server.address() as AddressInfo;
  const base = callbackUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${taken}`;

  return {
    deliveryMs,
    isSecure: base.startsWith("https:"),
    open: (answer = () => ({ status: 204 })) => {
      const name = `place-${String(opened++)}`;
      const place = new Opened(`${base.replace(/\/+$/, "")}/${name}`, answer, () => {
        places.delete(name);
      });
      places.set(name, place);
      return place;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

class Opened implements Place {
  readonly url: string;
  readonly attempts: ReceivedAttempt[] = [];
  readonly answer: AnswerAttempt;
  readonly #forget: () => void;
  readonly #watchers = new Set<() => void>();
  readonly #held = new Set<ServerResponse>();

  constructor(url: string, answer: AnswerAttempt, forget: () => void) {
    this.url = url;
    this.answer = answer;
    this.#forget = forget;
  }

  add(attempt: ReceivedAttempt): void {
    if (this.attempts.length < MAX_ATTEMPTS) this.attempts.push(attempt);
    for (const look of this.#watchers) look();
  }

  hold(response: ServerResponse): void {
    this.#held.add(response);
    response.on("close", () => this.#held.delete(response));
  }

  until(
    fits: (attempts: readonly ReceivedAttempt[]) => boolean,
    limitMs: number,
  ): Promise<boolean> {
    if (fits(this.attempts)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (hasCome: boolean): void => {
        timer.abort();
        this.#watchers.delete(look);
        resolve(hasCome);
      };
      const look = (): void => {
        if (fits(this.attempts)) end(true);
      };
      const timer = new AbortController();
      setTimeout(limitMs, undefined, { signal: timer.signal }).then(
        () => end(false),
        () => undefined,
      );
      this.#watchers.add(look);
    });
  }

  close(): void {
    for (const response of this.#held) response.writeHead(204).end();
    this.#forget();
  }
}

async function keep(
  place: Opened,
  {
    request,
    response,
    now,
  }: {
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly now: () => number;
  },
): Promise<void> {
  const body = await bodyOf(request);
  if (body === undefined) return;
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, [value ?? ""].flat().join(", ")] as const,
  );
  const attempt = {
    method: request.method ?? "",
    path: request.url ?? "",
    headers: Object.fromEntries(headers),
    body,
    at: now(),
  };
  const answer = place.answer(attempt, place.attempts);
  place.add({ ...attempt, answer });
  if (answer === "silence") {
    place.hold(response);
    return;
  }
  if (answer === "reset") {
    request.socket.destroy();
    return;
  }
  if (answer.afterMs !== undefined) await setTimeout(answer.afterMs, undefined, { ref: false });
  if (!response.destroyed) response.writeHead(answer.status, answer.headers).end();
}

/** `undefined` if the sender disconnected, or sent more than is kept. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Without an encoding the chunks are bytes.
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new Error("too large");
      chunks.push(chunk);
    }
  } catch {
    request.destroy();
    return undefined;
  }
  return Buffer.concat(chunks);
}
