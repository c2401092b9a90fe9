import { createServer } from "node:net";

/** Ports that are tried. */
const TRIED = 100;

/** The first port of this machine's loopback from `first` on that nobody listens on. */
export async function freePort(first: number): Promise<number> {
  for (let port = first; port < first + TRIED; port += 1) {
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${String(first)} on is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
