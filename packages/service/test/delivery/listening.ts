import { createServer, type RequestListener } from "node:http";
import net from "node:net";
import type { AddressInfo } from "node:net";

export interface Listening {
  readonly port: number;
  readonly url: URL;
  /** Connections that came in. */
  readonly connections: () => number;
  close(): Promise<void>;
}

/** An HTTP server on a free loopback port. */
export function listenHttp(listener: RequestListener): Promise<Listening> {
  return listening(createServer(listener));
}

/** A server that answers each connection's first bytes with whatever `answer` does to the socket. */
export function listenRaw(answer: (socket: net.Socket) => void): Promise<Listening> {
  return listening(
    net.createServer((socket) => {
      socket.once("data", () => answer(socket));
    }),
  );
}

async function listening(server: net.Server): Promise<Listening> {
  const sockets = new Set<net.Socket>();
  let connections = 0;
  server.on("connection", (socket: net.Socket) => {
    connections += 1;
    sockets.add(socket);
    // Hostile tests break connections from both ends.
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: new URL(`http://127.0.0.1:${port}/hooks?a=1`),
    connections: () => connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
