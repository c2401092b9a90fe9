import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** An attempt as it came over the wire. */
interface CapturedAttempt {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A place where attempts are delivered to and kept. */
export interface CapturedDeliveries {
  /** Its address, to which paths are added. */
  readonly url: string;
  /**
   * The first attempt that fits, also one that came before.
   *
   * @throws {Error} None came in time.
   */
  readonly first: (
    fits: (attempt: CapturedAttempt) => boolean,
    limitMs: number,
  ) => Promise<CapturedAttempt>;
  readonly close: () => void;
}

/** Listens on an address of this machine, and answers every attempt with 204. */
export async function captureDeliveries(host = "127.0.0.1"): Promise<CapturedDeliveries> {
  const attempts: CapturedAttempt[] = [];
  const waiting = new Set<(attempt: CapturedAttempt) => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const headers = Object.entries(request.headers).map(
        ([name, value]) => [name, [value ?? ""].flat().join(", ")] as const,
      );
      const body = Buffer.concat(chunks);
      const attempt = { path: request.url ?? "/", headers: Object.fromEntries(headers), body };
      response.writeHead(204).end();
      attempts.push(attempt);
      for (const tell of waiting) tell(attempt);
    });
  });
  server.listen(0, host);
  await once(server, "listening");
  // A TCP server's address is no path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    first: async (fits, limitMs) => {
      const present = attempts.find(fits);
      if (present !== undefined) return present;
      return new Promise((resolve, reject) => {
        const end = (): void => {
          clearTimeout(timer);
          waiting.delete(tell);
        };
        const tell = (attempt: CapturedAttempt): void => {
          if (!fits(attempt)) return;
          end();
          resolve(attempt);
        };
        const timer = setTimeout(() => {
          end();
          reject(new Error(`no such delivery came in ${limitMs} ms`));
        }, limitMs);
        waiting.add(tell);
      });
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
