import { createServer, type RequestListener } from "node:http";
import net, { type AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { AtEnd } from "../../../../test/temporary-folder.ts";
import type { PostRequest } from "../../src/delivery/types.ts";

export type Listening = Awaited<ReturnType<typeof listen>>;

/** An HTTP server on a free loopback port, by default until the running test ends. */
export function listenHttp(listener: RequestListener, atEnd?: AtEnd): Promise<Listening> {
  return listen(createServer(listener), atEnd);
}

/** A server that answers each connection's first bytes with whatever `answer` does to the socket. */
export function listenRaw(answer: (socket: net.Socket) => void): Promise<Listening> {
  return listen(net.createServer((socket) => socket.once("data", () => answer(socket))));
}

export async function listen(server: net.Server, atEnd: AtEnd = onTestFinished) {
  const sockets = new Set<net.Socket>();
  /** Accepted connections. */
  let connections = 0;
  server.on("connection", (socket: net.Socket) => {
    connections += 1;
    sockets.add(socket);
    // Hostile tests break connections from both ends.
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const close = (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => {
      server.close(() => resolve());
    });
  };
  atEnd(close);
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/hooks?a=1`);
  return { port, url, connections: () => connections, close };
}

/** A proxy that opens tunnels to a port of this machine whatever is requested, and keeps the requests. */
export async function tunnelTo(port: number) {
  const requested: string[] = [];
  const server = createServer().on("connect", (request, socket) => {
    requested.push(request.url ?? "");
    const upstream = net.connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  return { requested, proxy: `http://127.0.0.1:${(await listen(server)).port}` };
}

/** A receiver that answers 204 and keeps what arrives. */
export async function startReceiver() {
  /** `line`: method and path. */
  const arrived: { line: string; headers: Record<string, string>; body: Buffer }[] = [];
  const { url } = await listenHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
      response.writeHead(204).end();
      arrived.push({
        line: `${request.method} ${request.url}`,
        headers: Object.fromEntries(headers) as Record<string, string>,
        body: Buffer.concat(chunks),
      });
    });
  });
  return { arrived, url };
}

/** A small request of a merchant. */
export const requestTo = (url: URL): PostRequest => ({
  url,
  headers: { "content-type": "application/json" },
  body: Buffer.from("{}"),
  merchantId: "mer_1",
  eventId: "evt_1",
});
