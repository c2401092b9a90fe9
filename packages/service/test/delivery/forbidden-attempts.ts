import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Answer } from "../../src/delivery/transport.ts";
import { undiciTransport } from "../../src/delivery/undici-transport.ts";
import { forbiddenHosts } from "./forbidden-spellings.ts";
import { listenRaw } from "./listening.ts";

/** Whatever reaches this machine is counted. */
export async function canary() {
  const server = await listenRaw((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n"));
  onTestFinished(() => server.close());
  return server;
}

const REFUSED: Answer = { kind: "unanswered", code: "CS_ATTEMPT_ADDRESS_REFUSED" };

/** Posts so often to forbidden addresses that are spelt in any way. */
export function forbiddenSpellings(attempts: number): void {
  describe("B4: an address that is spelt in another way", () => {
    it(`is reached by none of ${String(attempts)} attempts`, async () => {
      const { port, connections } = await canary();
      const transport = undiciTransport({ deadlineMs: 10_000 });
      onTestFinished(() => transport.close());
      let spelt = 0;
      await fc.assert(
        fc.asyncProperty(forbiddenHosts, async (host) => {
          const text = `http://${host}:${String(port)}/`;
          // What no URL can say, no subscription can.
          if (!URL.canParse(text)) return;
          spelt += 1;
          const url = new URL(text);
          expect(await transport.post({ url, headers: {}, body: Buffer.from("{}") })).toEqual(
            REFUSED,
          );
        }),
        { numRuns: attempts },
      );
      expect(spelt).toBeGreaterThan(attempts * 0.8);
      expect(connections()).toBe(0);
    });
  });
}
