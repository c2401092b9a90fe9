import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { resolvingLookup } from "../../src/delivery/resolving-lookup.ts";
import type { Answer } from "../../src/delivery/transport.ts";
import { undiciTransport } from "../../src/delivery/undici-transport.ts";
import { forbiddenHosts } from "./forbidden-spellings.ts";
import { listenRaw } from "./listening.ts";
import { startNameServer } from "./name-server.ts";

/** Whatever reaches this machine is counted. */
async function canary() {
  const server = await listenRaw((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n"));
  onTestFinished(() => server.close());
  return server;
}

const REFUSED: Answer = { kind: "unanswered", code: "CS_ATTEMPT_ADDRESS_REFUSED" };

describe("B4: an address that is spelt in another way", () => {
  it("is reached by none of 10,000 attempts", async () => {
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
      { numRuns: 10_000 },
    );
    expect(spelt).toBeGreaterThan(8000);
    expect(connections()).toBe(0);
  });
});

describe("B5: a name whose address changes from question to question", () => {
  it("reaches this machine by none of 1,000 deliveries", async () => {
    const { port, connections } = await canary();
    const names = await startNameServer((_, count) =>
      // Harmless alone once in a while, which nobody answers; with a forbidden one beside it; forbidden alone.
      count % 50 === 0 ? ["1.2.3.4"] : count % 2 === 0 ? ["1.2.3.4", "127.0.0.1"] : ["127.0.0.1"],
    );
    onTestFinished(() => names.close());
    const lookup = resolvingLookup({ servers: [names.address] });
    const transport = undiciTransport({ deadlineMs: 2000, lookup });
    onTestFinished(() => transport.close());
    const url = new URL(`http://rebinding.example:${String(port)}/`);
    const answers: Answer[] = [];
    const post = async (): Promise<void> => {
      answers.push(await transport.post({ url, headers: {}, body: Buffer.from("{}") }));
    };
    const numbers = Array.from({ length: 1000 }).keys();
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        for (const _ of numbers) await post();
      }),
    );
    expect(connections()).toBe(0);
    expect(answers).toHaveLength(1000);
    expect(answers.filter(({ kind }) => kind === "answered")).toEqual([]);
    expect(names.asked.length).toBeGreaterThan(100);
  });
});
