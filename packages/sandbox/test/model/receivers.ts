import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Merchants' receivers: take every attempt, and keep what arrived at each path. */
export interface Receivers {
  readonly url: string;
  /** By path, bodies by the event's id. */
  readonly arrived: ReadonlyMap<string, ReadonlyMap<string, string>>;
  close(): void;
}

export async function openReceivers(): Promise<Receivers> {
  const arrived = new Map<string, Map<string, string>>();
  const server = createServer((incoming, response) => {
    let body = "";
    incoming.setEncoding("utf8");
    incoming.on("data", (chunk: string) => (body += chunk));
    incoming.on("end", () => {
      const path = incoming.url ?? "";
      const bodies = arrived.get(path) ?? new Map<string, string>();
      arrived.set(path, bodies.set(String(incoming.headers["webhook-id"]), body));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    arrived,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
