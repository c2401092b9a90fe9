import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";

export interface ListenOptions {
  /** 0 takes any free one. */
  readonly port: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Milliseconds without traffic after which a connection with an unread answer is closed. Default 60 000. */
  readonly silentMs?: number;
  /** Connections beyond it are closed at once. Default: none is. */
  readonly maxConnections?: number;
}

interface Listener {
  /** `http://HOST:PORT`. */
  readonly url: string;
  readonly port: number;
  /** Lets calls under way finish for up to `graceMs` milliseconds (default 10 000), then cuts what is left. Idempotent. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Listens with deadlines, so that a sender who drips its headers or body holds no connection for long. */
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
      toOriginForm(request);
      app(request, response);
    },
  );
  server.setTimeout(silentMs, (socket) => {
    // A call may take long; an unread answer keeps its connection for ever.
    if (socket.writableLength > 0) socket.destroy();
  });
  server.maxConnections = options.maxConnections ?? Infinity;
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
 * Leaves only the path and query of a URL as request target (RFC 9112, section 3.2.2): Express answers one that it cannot
 * parse, such as `http://[::1`, with its own page and without a log line. Another host in it counts as a second `Host`.
 */
function toOriginForm(request: IncomingMessage): void {
  const { url = "/", headers, rawHeaders } = request;
  const [start, host] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)\/?/i.exec(url) ?? [];
  if (start === undefined || host === undefined) return;
  request.url = `/${url.slice(start.length)}`;
  if (host !== headers.host) rawHeaders.push("Host", host);
}
