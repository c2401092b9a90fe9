import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A receiver on loopback that answers 204 and counts how often each event came. */
export async function startReceiver(): Promise<{
  readonly url: string;
  readonly arrivals: ReadonlyMap<string, number>;
}> {
  const arrivals = new Map<string, number>();
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const id = String(request.headers["webhook-id"]);
      arrivals.set(id, (arrivals.get(id) ?? 0) + 1);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A listening TCP server has one.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, arrivals };
}
