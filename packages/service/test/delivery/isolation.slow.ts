import { setTimeout } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { DueClock, systemClock } from "../../src/clock.ts";
import { undiciTransport } from "../../src/delivery/egress/transport.ts";
import { startHostileServers } from "./hostile-endpoints.ts";
import { listenHttp } from "./listening.ts";
import { openQueue } from "./queue.ts";

const [ENDPOINTS, BACKLOG] = [20, 100];
const [EVENTS, GAP_MS, DEADLINE_MS] = [1000, 10, 2000];

const kinds = ["answers 429", "answers 502", "answers 504", "says nothing"] as const;

// The endpoints of the other merchant are in a process of their own, as everywhere: their work is not the sender's.
it.each([...kinds, "does as any hostile endpoint"] as const)(
  "B14 keeps the p99 of a merchant's deliveries while each endpoint of another one %s",
  async (kind) => {
    const arrived = new Map<string, number>();
    const { url } = await listenHttp((request, response) => {
      request.resume().on("end", () => {
        arrived.set(String(request.headers["webhook-id"]), performance.now());
        response.writeHead(204).end();
      });
    });
    const queue = await openQueue();
    const live = { clockId: "live" };
    await queue.subscribe("b", { ...live, merchantId: "mer_b", url: `${url.origin}/b` });
    // As the service does: what it writes is due by the engine's own clock.
    const dueClock = new DueClock(systemClock);
    const engine = queue.engine(undiciTransport({ deadlineMs: DEADLINE_MS, allowLoopback: true }), {
      clock: systemClock,
      dueClock,
      policy: { deadlineMs: DEADLINE_MS },
    });
    const p99 = async (): Promise<number> => {
      const sent = new Map<string, number>();
      for (let count = 0; count < EVENTS; count += 1) {
        const at = dueClock.now();
        const id = await queue.enqueue("b", { nextAt: at });
        sent.set(id.replace("dlv", "evt"), performance.now());
        engine.onWork([{ key: "b", merchantId: "mer_b", url: url.href, at }]);
        await setTimeout(GAP_MS);
      }
      await expect.poll(() => [...sent.keys()].every((id) => arrived.has(id))).toBe(true);
      const times = [...sent].map(([id, at]) => (arrived.get(id) ?? Infinity) - at);
      return times.toSorted((one, other) => one - other)[Math.floor(EVENTS * 0.99) - 1] ?? 0;
    };
    // Their processes run in both measurements.
    // A closed socket has an error whose stack the test runner maps to sources, for a fifth of a millisecond.
    Error.stackTraceLimit = 0;
    const servers = await startHostileServers();
    onTestFinished(() => servers.stop());
    const alone = await p99();
    const isOneKind = kinds.some((one) => one === kind);
    const urls = isOneKind
      ? Array.from({ length: ENDPOINTS }, (_, number) => `${servers.urls[kind]}a/${number}`)
      : Object.values(servers.urls);
    for (const [number, to] of urls.entries()) {
      const key = `a_${number}`;
      await queue.subscribe(key, { ...live, merchantId: "mer_a", url: to });
      await queue.publish(BACKLOG, [key], { nextAt: Date.now() - 1 });
    }
    engine.onWork("anything");
    // Some hostile endpoints accept what they get: their backlog is gone by then.
    if (!isOneKind) await setTimeout(3000);
    const beside = await p99();
    console.log({ kind, alone, beside, ratio: beside / alone });
    // Under 5 ms the noise of timers decides.
    expect(beside).toBeLessThan(Math.max(2 * alone, 5));
  },
  120_000,
);
