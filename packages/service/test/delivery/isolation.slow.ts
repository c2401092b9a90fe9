import { setTimeout } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { DueClock, systemClock } from "../../src/clock.ts";
import { undiciTransport } from "../../src/delivery/egress/transport.ts";
import { startHostileServers } from "./hostile-endpoints.ts";
import { listenHttp } from "./listening.ts";
import { openQueue } from "./queue.ts";

const [ENDPOINTS, BACKLOG] = [20, 100];
const [EVENTS, GAP_MS, DEADLINE_MS] = [200, 50, 2000];

it.each(["429", "502", "504", "nothing", "as every kind of hostile endpoint does"])(
  "B14 keeps the p99 of a merchant's deliveries while another one's endpoints answer %s",
  async (answer) => {
    const arrived = new Map<string, number>();
    const { url } = await listenHttp((request, response) => {
      request.resume().on("end", () => {
        if (request.url === "/b") {
          arrived.set(String(request.headers["webhook-id"]), performance.now());
          response.writeHead(204).end();
        } else if (answer !== "nothing") response.writeHead(Number(answer)).end();
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
    const servers = await startHostileServers();
    onTestFinished(() => servers.stop());
    const isHostile = answer.startsWith("as");
    const alone = await p99();
    const urls = isHostile
      ? Object.values(servers.urls)
      : Array.from({ length: ENDPOINTS }, (_, number) => `${url.origin}/a/${number}`);
    for (const [number, to] of urls.entries()) {
      const key = `a_${number}`;
      await queue.subscribe(key, { ...live, merchantId: "mer_a", url: to });
      await queue.publish(BACKLOG, [key], { nextAt: Date.now() - 1 });
    }
    engine.onWork("anything");
    // Some hostile endpoints accept what they get: their backlog is gone by then.
    if (isHostile) await setTimeout(3000);
    const beside = await p99();
    console.log({ answer, alone, beside, ratio: beside / alone });
    // Under 5 ms the noise of timers decides.
    expect(beside).toBeLessThan(Math.max(2 * alone, 5));
  },
  120_000,
);
