import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens on a free port of this machine until it is closed. */
export async function listen(server: Server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  // A server that listens on a port has an address of that kind.
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
