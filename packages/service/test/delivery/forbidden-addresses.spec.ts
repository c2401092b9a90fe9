import { describe, expect, it, onTestFinished } from "vitest";
import { resolvingLookup } from "../../src/delivery/resolving-lookup.ts";
import type { Answer } from "../../src/delivery/transport.ts";
import { undiciTransport } from "../../src/delivery/undici-transport.ts";
import { canary, forbiddenSpellings } from "./forbidden-attempts.ts";
import { startNameServer } from "./name-server.ts";

// Ten thousand are in the slow lane.
forbiddenSpellings(1500);

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
