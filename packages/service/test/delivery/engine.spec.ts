import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/clock.ts";
import { StoreUnavailableError } from "../../src/store/driver.ts";
import { ManualClock } from "../manual-clock.ts";
import {
  answered,
  CLOCK_START,
  fakeTransport,
  heldTransport,
  openQueue,
  policy,
  REAL_START,
} from "./queue.ts";

const HOUR = 3_600_000;
const succeeding = () => fakeTransport(() => answered(204));

it("a delivery whose attempt met a fault of this program is attempted again when its claim ends, not at once", async () => {
  const queue = await openQueue();
  await queue.subscribe("sub_1", { clockId: "live" });
  await queue.enqueue("sub_1");
  const failures: unknown[] = [];
  const sign = (): never => {
    throw new Error("a fault of this program");
  };
  queue.engine(succeeding(), { sign, observer: { attemptBroke: (error) => failures.push(error) } });
  await expect.poll(() => failures.length).toBe(1);
  queue.clock.advance(policy.leaseMs - 10_000);
  await queue.passTurns();
  expect(failures).toHaveLength(1);
  queue.clock.advance(10_000);
  await expect.poll(() => failures.length).toBe(2);
});

it("a delivery that is claimed again before the store takes its record is free when the record is written", async () => {
  const queue = await openQueue();
  await queue.subscribe("sub_1", { clockId: "live" });
  await queue.enqueue("sub_1");
  let isDown = true;
  const store: typeof queue.store = {
    ...queue.store,
    record: (...group) => {
      if (isDown) throw new StoreUnavailableError("down");
      return queue.store.record(...group);
    },
  };
  const transport = fakeTransport(() => answered(500));
  queue.engine(transport, { store });
  const claim = async () => queue.driver.query("SELECT claimed_until AS until FROM deliveries");
  await expect.poll(() => transport.posts.length).toBe(1);
  const first = await claim();
  queue.clock.advance(policy.leaseMs + 1000);
  await expect.poll(claim).not.toEqual(first);
  isDown = false;
  queue.clock.advance(1000);
  await expect.poll(() => queue.deliveries()).toMatchObject([{ attempts: 1 }]);
  expect(await claim()).toEqual([{ until: 0 }]);
  expect(transport.posts).toHaveLength(1);
});

it("a delivery that was claimed again before its record, and whose claim is answered after it, is not posted again", async () => {
  const queue = await openQueue();
  await queue.subscribe("sub_1", { clockId: "live" });
  await queue.enqueue("sub_1");
  const recorded = Promise.withResolvers<void>();
  const claimed = Promise.withResolvers<void>();
  let claims = 0;
  const store: typeof queue.store = {
    ...queue.store,
    claim: async (...request) => {
      const answer = await queue.store.claim(...request);
      claims += 1;
      if (claims !== 2) return answer;
      claimed.resolve();
      await recorded.promise;
      await queue.passTurns();
      return answer;
    },
    record: async (...group) => {
      await claimed.promise;
      const answer = await queue.store.record(...group);
      recorded.resolve();
      return answer;
    },
  };
  const transport = fakeTransport(() => answered(500));
  queue.engine(transport, { store });
  await expect.poll(() => transport.posts.length).toBe(1);
  queue.clock.advance(policy.leaseMs + 1000);
  await expect.poll(() => queue.deliveries()).toMatchObject([{ attempts: 1 }]);
  await queue.passTurns();
  expect(transport.posts).toHaveLength(1);
  // Nor does the useless claim delay its retry.
  queue.clock.advance(6000);
  await expect.poll(() => queue.deliveries()).toMatchObject([{ attempts: 2 }]);
});

it("a full backlog of attempts stops claims only until the store has taken it, without another look", async () => {
  const queue = await openQueue();
  await queue.subscribe("sub_1", { clockId: "live" });
  await queue.publish(700, ["sub_1"]);
  const slow = Promise.withResolvers<void>();
  const store: typeof queue.store = {
    ...queue.store,
    record: async (...group) => {
      await slow.promise;
      return queue.store.record(...group);
    },
  };
  // Longer waits than those between claims and records do not end by themselves.
  const { clock } = queue;
  const waits = new Set<number>();
  const waiting: Clock = {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    sleep: async (ms, signal) => {
      if (ms <= 10) return clock.sleep(ms, signal);
      waits.add(ms);
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    },
  };
  const transport = succeeding();
  queue.engine(transport, { store, clock: waiting, policy: { concurrencyPerEndpoint: 64 } });
  await expect.poll(() => waits.size).toBeGreaterThan(0);
  expect(transport.posts.length).toBeLessThan(700);
  slow.resolve();
  await expect.poll(() => transport.posts.length).toBe(700);
});

it("a claim that is answered too late for the deadline is given back, and nothing is attempted", async () => {
  const queue = await openQueue();
  await queue.subscribe("sub_1", { clockId: "live" });
  await queue.enqueue("sub_1");
  const clock = new ManualClock(REAL_START, { isStill: true });
  const transport = succeeding();
  const posts: number[] = [];
  const store: typeof queue.store = {
    ...queue.store,
    claim: async (...request) => {
      const claims = await queue.store.claim(...request);
      if (posts.length === 0) clock.advance(policy.leaseMs - policy.deadlineMs + 1);
      return claims;
    },
    release: async (claims) => {
      posts.push(transport.posts.length);
      return queue.store.release(claims);
    },
  };
  queue.engine(transport, { clock, store });
  await expect.poll(() => queue.states()).toEqual(["delivered"]);
  expect(posts).toEqual([0]);
});

it("a retry starts within a second of its time, and so does what another process wrote", async () => {
  const queue = await openQueue();
  await queue.subscribe("sub_1", { clockId: "live" });
  await queue.enqueue("sub_1");
  const transport = fakeTransport((_, count) => answered(count === 1 ? 500 : 204));
  queue.engine(transport);
  await expect.poll(() => queue.deliveries()).toMatchObject([{ attempts: 1 }]);
  await queue.enqueue("sub_1");
  queue.clock.advance(5000);
  await expect.poll(() => queue.states()).toEqual(["delivered", "delivered"]);
});

it("an engine that is woken often keeps few timers, and none once it has stopped", async () => {
  const queue = await openQueue();
  const asleep = new Set<symbol>();
  const { clock } = queue;
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    const timer = Symbol("timer");
    asleep.add(timer);
    await clock.sleep(ms, signal);
    asleep.delete(timer);
  };
  const counting = { now: () => clock.now(), elapsed: () => clock.elapsed(), sleep };
  const engine = queue.engine(succeeding(), { clock: counting });
  for (let woken = 0; woken < 10; woken += 1) {
    engine.onWork("anything");
    await queue.passTurns();
  }
  expect(asleep.size).toBeLessThan(3);
  await engine.stop();
  await queue.passTurns();
  expect(asleep.size).toBe(0);
});

it("a step of wall time back before a restart stops no delivery: due times follow the clock that the database keeps", async () => {
  const queue = await openQueue();
  await queue.subscribe("sub_1", { clockId: "live" });
  const first = queue.engine(succeeding());
  await queue.passTurns();
  await first.stop();
  await queue.enqueue("sub_1");
  const transport = succeeding();
  queue.engine(transport, { clock: new ManualClock(REAL_START - 24 * HOUR) });
  await expect.poll(() => transport.posts.length).toBe(1);
});

describe("a sandbox clock that moves forward", () => {
  it("stops at each retry of a failing delivery, which is scheduled from that instant with jitter", async () => {
    const queue = await openQueue();
    await queue.subscribeMany(1);
    const seen: (number | undefined)[] = [];
    const transport = fakeTransport(async () => {
      seen.push(await queue.instant());
      return answered(seen.length < 4 ? 500 : 204);
    });
    const to = CLOCK_START + 24 * HOUR;
    const engine = queue.engine(transport, {
      policy: { schedule: { ...policy.schedule, jitter: 0.1 } },
      random: { bytes: (length) => Buffer.alloc(length) },
    });
    const outcome = await queue.advance(engine, to);
    // A tenth less by jitter: the least that random bytes may say.
    const retries = [4500, 274_500, 1_894_500].map((after) => CLOCK_START + after);
    expect(seen).toEqual([CLOCK_START, ...retries]);
    expect(outcome).toEqual({ ok: true, now: to, instants: retries });
    expect(await queue.instant()).toBe(to);
  });

  it("stops where the engine was stopped, and continues from there with another engine", async () => {
    const queue = await openQueue("sub_1");
    const reached = CLOCK_START + HOUR;
    await queue.enqueue("sub_1", { nextAt: reached });
    const { transport, inFlight, answer } = heldTransport();
    const one = queue.engine(transport);
    const moving = queue.advance(one, CLOCK_START + 24 * HOUR);
    await expect.poll(inFlight).toBe(1);
    await one.stop({ graceMs: 0 });
    answer(204);
    expect(await moving).toEqual({ ok: false, code: "ENGINE_STOPPED", now: reached });
    expect(await queue.instant()).toBe(reached);
    const other = queue.engine(succeeding());
    await queue.advance(other, CLOCK_START + 24 * HOUR);
    expect(await queue.deliveries()).toMatchObject([{ state: "delivered", attempts: 1 }]);
  });
});
