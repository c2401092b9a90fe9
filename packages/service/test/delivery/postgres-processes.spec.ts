import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  postgresBinaries,
  startPostgres,
  type TestPostgres,
} from "../../../receiver/test/inboxes/servers.ts";
import { DueClock, systemClock } from "../../src/clock.ts";
import { postgresHints } from "../../src/delivery/postgres-hints.ts";
import { systemRandom } from "../../src/random.ts";
import { postgresDriver } from "../../src/store/postgres/driver.ts";
import type { Completion, Work } from "../../src/delivery/types.ts";
import { cuttingProxy } from "../store/cutting-proxy.ts";
import { answered, fakeTransport, queueOf } from "./queue.ts";

const reason = postgresBinaries === undefined ? " (skipped: PostgreSQL is not installed)" : "";

describe.skipIf(postgresBinaries === undefined)(`processes on one PostgreSQL${reason}`, () => {
  let server: TestPostgres;
  let url: string;
  beforeAll(async () => {
    // Nothing but a durable transaction is flushed before the crash.
    server = await startPostgres({ settings: ["wal_writer_delay=10000"] });
    url = `postgres://postgres@127.0.0.1:${server.port}/postgres`;
  }, 60_000);
  afterAll(() => server.stop());

  function openHints(at = url, answerMs = 10_000) {
    const heard: Work[] = [];
    const onWork = (work: Work): void => void heard.push(work);
    const dueClock = new DueClock(systemClock);
    const hints = postgresHints({ url: at, answerMs, random: systemRandom, onWork, dueClock });
    onTestFinished(() => hints.stop());
    hints.start();
    return { hints, heard, dueClock };
  }

  it("look for anything when they connect, and have the others look too: notices were lost before", async () => {
    const b = openHints();
    await expect.poll(() => b.heard).toEqual(["anything"]);
    const a = openHints();
    // The other's first notice may arrive after this one listens.
    await expect.poll(() => [a.heard.at(0), b.heard.slice(1)]).toEqual(["anything", ["anything"]]);
  });

  it("notify the others of new work and of their due clock, and not themselves, also after the server has restarted", async () => {
    const [a, b] = [openHints(), openHints()];
    const at = Date.now() + 3_600_000;
    a.dueClock.raise(at);
    const named = [{ key: "sub_1", at }];
    const hintB = () => {
      a.hints.tell(named);
      return b.heard.at(-1);
    };
    await expect.poll(hintB).toEqual(named);
    expect(a.heard).not.toContainEqual(named);
    expect(b.dueClock.now()).toBeGreaterThanOrEqual(at);
    for (const { heard } of [a, b]) heard.length = 0;
    await server.crash();
    await expect.poll(() => a.heard).toContain("anything");
    await expect.poll(hintB).toEqual(named);
  });

  it.each(["LISTEN", "pg_notify"])(
    "connect anew when the server does not answer %s, and look for anything then",
    { tags: "ci" },
    async (text) => {
      const proxy = await cuttingProxy(server.port);
      proxy.failNext(text, "swallowed");
      const a = openHints(url.replace(String(server.port), String(proxy.port)), 1000);
      await expect.poll(() => a.heard).toContain("anything");
      a.heard.length = 0;
      // Sent on the connection that waits for ever, if it is not given up.
      const b = openHints();
      const named = [{ key: "sub_1", at: 1 }];
      await expect
        .poll(() => {
          a.hints.tell(named);
          return b.heard.at(-1);
        })
        .toEqual(named);
    },
  );

  it("stop while their connection hangs", async () => {
    const proxy = await cuttingProxy(server.port);
    const a = openHints(url.replace(String(server.port), String(proxy.port)));
    await expect.poll(() => a.heard).toContain("anything");
    proxy.freeze();
    await a.hints.stop({ graceMs: 100 });
  });

  it("send one notification for many subscriptions of one instant, with the earliest due time of each or for all", async () => {
    const [a, b] = [openHints(), openHints()];
    // Each looks for anything once it is connected; what is told before is lost.
    const areConnected = () => a.heard.length > 0 && b.heard.length > 0;
    await expect.poll(areConnected).toBe(true);
    const named = (count: number) =>
      Array.from({ length: count }, (_, number) => ({ key: `sub_${number}`, at: 5 }));
    for (const at of [5, 3, 9]) a.hints.tell([{ key: "sub_0", at }]);
    const last = () => b.heard.at(-1);
    await expect.poll(last).toEqual([{ key: "sub_0", at: 3 }]);
    a.hints.tell(named(100));
    await expect.poll(last).toEqual(named(100));
    a.hints.tell(named(101));
    await expect.poll(last).toBe("anything");
  });

  it("look for all work after a notification that they cannot read", async () => {
    const driver = postgresDriver({ url });
    onTestFinished(() => driver.close());
    const { heard, dueClock } = openHints();
    for (const hint of [
      "?",
      "null",
      "{}",
      '{"from":"x","work":"anything"}',
      '{"now":0,"work":[null]}',
    ]) {
      heard.length = 0;
      const notified = async (): Promise<readonly Work[]> => {
        await driver.query("SELECT pg_notify('countersign_deliveries', $1)", [hint]);
        return heard;
      };
      await expect.poll(notified).toContain("anything");
      expect(dueClock.now()).toBeGreaterThan(0);
    }
  });

  it("continue without notifications while the server is down", async () => {
    const { hints } = openHints("postgres://postgres@127.0.0.1:1/postgres");
    hints.tell("anything");
    await expect(hints.stop()).resolves.toBeUndefined();
  });

  it("never lose a recorded attempt in a crash of the server, and continue after it", async () => {
    const driver = postgresDriver({ url });
    onTestFinished(() => driver.close());
    const queue = await queueOf(driver);
    await queue.subscribe("sub_1", { clockId: "live" });
    await queue.enqueue("sub_1");
    const transport = fakeTransport((_, count) => answered(count === 1 ? 500 : 204));
    const recorded: number[] = [];
    const observer = { attempted: ({ attempt }: Completion) => recorded.push(attempt.number) };
    queue.engine(transport, { observer });
    await expect.poll(() => recorded).toEqual([1]);
    await server.crash();
    expect(await queue.attempts()).toMatchObject([{ number: 1, status: 500 }]);
    queue.clock.advance(5000);
    await expect.poll(() => recorded).toEqual([1, 2]);
    await expect.poll(() => queue.states()).toEqual(["delivered"]);
    expect(transport.posts).toHaveLength(2);
  }, 60_000);
});
