import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { AtEnd } from "../../../../test/temporary-folder.ts";

/** Misbehaves on a connection once something was sent over it. */
export type Hostility = (socket: Socket, said: string) => void;

/** Starts a server that misbehaves on each connection of a test; keeps the requests that it received. */
export async function hostileTarget(misbehave: Hostility, atEnd: AtEnd = onTestFinished) {
  const sockets = new Set<Socket>();
  const said: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    // The other side may hang up at any time.
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
    socket.once("data", (bytes) => {
      said.push(bytes.toString("latin1"));
      misbehave(socket, bytes.toString("latin1"));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // A server that listens on a port has an AddressInfo.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: new URL(`${origin}/hook?a=1`), said };
}

/** Writes as fast as the other side reads, until it hangs up. */
export function flood(socket: Socket, chunk: Buffer): void {
  const pour = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", pour);
  pour();
}

/** Writes a little every 20 ms, until the other side hangs up. */
export function drip(socket: Socket, chunk: string): void {
  const timer = setInterval(() => socket.write(chunk), 20);
  socket.once("close", () => clearInterval(timer));
}
