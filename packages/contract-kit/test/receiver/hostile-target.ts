import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A server that does to each connection what it is told, once something came, as long as the test. */
export async function hostileTarget(
  act: (socket: Socket, said: string) => void,
): Promise<{ readonly url: URL; readonly said: readonly string[] }> {
  const sockets = new Set<Socket>();
  const said: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", (bytes) => {
      said.push(bytes.toString("latin1"));
      act(socket, bytes.toString("latin1"));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  // A server that listens on a port has an address of that kind.
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${port}/hook?a=1`), said };
}
