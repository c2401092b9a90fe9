import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface ListenOptions {
  /** 0 takes any free one. */
  readonly port: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /**
   * Milliseconds without any traffic after which a connection whose answer nobody reads is closed. Default
   * 60 000.
   */
  readonly silentMs?: number;
  /** Bounds the connections. Default: nothing does. */
  readonly connections?: ConnectionLimit;
}

/** Descriptors beyond the connections' half that files, the database and refused connections need. */
const SPARE = 16;

/** Connections that the process can serve: others are marked, and far more are closed at once. */
export class ConnectionLimit {
  readonly #max: number;
  readonly #excess = new WeakSet<Socket>();
  #open = 0;

  /** @param descriptors Descriptors that the process may open; deliveries get half of them. */
  constructor(descriptors: number = descriptorLimit()) {
    this.#max = Math.max(Math.floor(descriptors / 2) - SPARE, SPARE / 2);
  }

  guard(server: Server): void {
    server.maxConnections = this.#max + SPARE;
    server.on("connection", (socket) => {
      this.#open += 1;
      if (this.#open > this.#max) this.#excess.add(socket);
      socket.once("close", () => (this.#open -= 1));
    });
  }

  isExcess(socket: Socket): boolean {
    return this.#excess.has(socket);
  }
}

/** The soft limit of open files; infinite where the system does not say it in a file. */
function descriptorLimit(): number {
  try {
    const [, soft] =
      /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}

/** A server that listens. */
export interface Listener {
  /** `http://HOST:PORT`. */
  readonly url: string;
  readonly port: number;
  /**
   * Takes no further connection, lets calls under way finish for up to `graceMs` (default 10 000)
   * milliseconds, then cuts what is left. Idempotent.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * Listens with deadlines, so that a sender who drips its headers or body holds no connection for long.
 *
 * @throws {Error} The port cannot be listened on: `code` is `EADDRINUSE`, `EACCES`, …
 */
export async function listen(app: RequestListener, options: ListenOptions): Promise<Listener> {
  const { port, host = "127.0.0.1", silentMs = 60_000 } = options;
  const underWay = new Set<ServerResponse>();
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      // Time between two checks of both deadlines.
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 5000,
      maxHeaderSize: 16_384,
    },
    (request, response) => {
      underWay.add(response);
      response.once("close", () => underWay.delete(response));
      request.url = originForm(request.url ?? "/");
      app(request, response);
    },
  );
  server.setTimeout(silentMs, (socket) => {
    // A call may take long; an answer that nobody reads holds its connection for ever.
    if (socket.writableLength > 0) socket.destroy();
  });
  options.connections?.guard(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  let closing: Promise<void> | undefined;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    close: ({ graceMs = 10_000 } = {}) => {
      closing ??= new Promise<void>((resolve) => {
        // RFC 9112, section 9.6: a client would send its next call into a connection that ends.
        for (const response of underWay) {
          if (!response.headersSent) response.setHeader("connection", "close");
        }
        const cut = setTimeout(() => server.closeAllConnections(), graceMs);
        // A connection that has got its answer would be kept for another call that never comes.
        const sweep = setInterval(() => server.closeIdleConnections(), 20);
        server.close(() => {
          clearTimeout(cut);
          clearInterval(sweep);
          resolve();
        });
        server.closeIdleConnections();
      });
      return closing;
    },
  };
}

/**
 * Returns a request target in origin form: of a URL (RFC 9112, section 3.2.2) only its path and query.
 * Express answers a URL that it cannot parse, such as `http://[::1`, with its own page and without a log line.
 */
function originForm(target: string): string {
  const [, rest] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/is.exec(target) ?? [];
  if (rest === undefined) return target;
  return rest.startsWith("/") ? rest : `/${rest}`;
}
