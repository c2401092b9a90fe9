import type { ServerResponse } from "node:http";
import { clearInterval, setInterval } from "node:timers";

/** Bytes that a reader may lag behind before its connection is closed. */
const MAX_LAG = 1024 * 1024;
/** Milliseconds between keep-alive messages, shorter than the idle timeout of proxies. */
const HEARTBEAT_MS = 15_000;
/** Milliseconds after which a disconnected reader should reconnect. */
const RETRY_MS = 1000;

/**
 * Reports that something in a namespace has changed, as server-sent events (HTML, "Server-sent events") named `news` and
 * without data: a reader then reads the lists, as it does when it has connected.
 */
export class Streams {
  readonly #readers = new Map<string, Set<ServerResponse>>();

  /** Reports a namespace's changes over a response until either side ends it. */
  open(merchantId: string, response: ServerResponse): void {
    // Its "close" is over.
    if (response.destroyed) return;
    const readers = this.#readers.get(merchantId) ?? new Set();
    this.#readers.set(merchantId, readers.add(response));
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    response.write(`retry: ${String(RETRY_MS)}\n\n`);
    const heartbeat = setInterval(() => response.write(": alive\n\n"), HEARTBEAT_MS);
    response.on("close", () => {
      clearInterval(heartbeat);
      readers.delete(response);
      if (readers.size === 0) this.#readers.delete(merchantId);
    });
  }

  /** Reports a change to the readers of a namespace. */
  news(merchantId: string): void {
    for (const response of this.#readers.get(merchantId) ?? []) {
      response.write("event: news\ndata: {}\n\n");
      if (response.writableLength > MAX_LAG) response.destroy();
    }
  }

  /** Ends all streams. */
  close(): void {
    for (const readers of this.#readers.values()) for (const response of readers) response.end();
    // Attempts that end later have no reader: a write after the end would end the process.
    this.#readers.clear();
  }
}
