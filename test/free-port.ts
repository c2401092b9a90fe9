import { createServer } from "node:net";

/** The number of ports to try. */
const TRIED = 100;

/** Returns the first free loopback port from `first` on. */
export async function freePort(first: number): Promise<number> {
  for (let port = first; port < first + TRIED; port += 1) {
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port from ${String(first)} to ${String(first + TRIED - 1)}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
