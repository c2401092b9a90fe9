import { describe, expect, it } from "vitest";
import { DueClock } from "../../src/clock.ts";
import { ENGINE } from "../../src/delivery/constants.ts";
import { freshPace } from "../../src/delivery/decisions.ts";
import { newHeld, type Held } from "../../src/delivery/held.ts";
import { InFlight } from "../../src/delivery/in-flight.ts";
import { Queues } from "../../src/delivery/queues.ts";
import { Ready } from "../../src/delivery/ready.ts";
import type { DueDelivery, ReadResult } from "../../src/delivery/types.ts";
import { secretPlace } from "../../src/store/tables/subscriptions.ts";
import { ManualClock } from "../manual-clock.ts";
import { answered, fakeTransport, openQueue, policy, REAL_START, SECRET, vault } from "./queue.ts";

/** The queue of one endpoint, whose read ends when the test says so. */
function queueOfOne(clockId = "live") {
  const clock = new ManualClock(REAL_START, { isStill: true });
  const read = Promise.withResolvers<ReadResult[]>();
  const queues = new Queues(
    {
      vault,
      clock,
      dueClock: new DueClock(clock),
      inFlight: new InFlight(policy),
      endpoints: { allowLoopback: true },
      store: { read: () => read.promise },
    },
    policy,
  );
  const secret = vault.seal(SECRET, secretPlace("sub_1"));
  const url = "https://receiver.example/hooks";
  queues.hold({ key: "sub_1", merchantId: "mer_1", clockId, url, secret });
  const [held] = queues.values();
  if (held === undefined) throw new Error("nothing is held");
  const endRead = (due: readonly DueDelivery[] = [], nextAt?: number): void =>
    read.resolve([{ key: "sub_1", now: REAL_START, due, nextAt, isWhole: true }]);
  return { queues, held, clock, endRead };
}

it("sweeps as early as a due time that a read finds after the last sweep", async () => {
  const { queues, endRead } = queueOfOne();
  queues.sweep();
  endRead([], REAL_START + 200);
  await queues.read();
  expect(queues.dueAt).toBe(200);
});

it("keeps a due time that is noticed during a read that does not see it", async () => {
  const { queues, held, clock, endRead } = queueOfOne();
  const reading = queues.read();
  queues.notice(held, REAL_START + 200);
  endRead();
  await reading;
  queues.sweep();
  expect(queues.dueAt).toBe(200);
  clock.advance(200);
  queues.sweep();
  expect(queues.dueAt).toBe(0);
});

it("reads at once what is noticed for a namespace, whose clock may have moved since the last read", async () => {
  const { queues, held, endRead } = queueOfOne("clk_1");
  endRead();
  await queues.read();
  queues.sweep();
  expect(queues.dueAt).toBeGreaterThan(0);
  queues.notice(held, REAL_START + 86_400_000);
  expect(queues.dueAt).toBe(0);
});

describe("turns", () => {
  const target = { ok: false, code: "CS_ATTEMPT_URL_REFUSED" } as const;
  const secret = vault.seal(SECRET, secretPlace("sub_1"));
  const pace = freshPace(policy);

  /** An endpoint with two deliveries that are ready. */
  function offered(ready: Ready, [merchantId, key]: readonly [string, string], of = pace): Held {
    const url = "https://receiver.example/hooks";
    const endpoint = { key, merchantId, clockId: "live", url, secret };
    const held = newHeld(endpoint, target, { now: 0, pace: of });
    ready.add(held, [dueAt(1, 0), dueAt(2, 0)]);
    ready.offer(held, 0);
    return held;
  }
  /** Keys of the endpoints of the next attempts. */
  const keysOf = (ready: Ready, most: number): string[] =>
    [...ready.take(0, most)].map(([{ endpoint }]) => endpoint.key);
  const everybody = { admits: () => true, admitsMerchant: () => true };

  it("alternate between merchants, and between the endpoints of each", () => {
    const ready = new Ready({ inFlight: everybody, wantRead: () => {} });
    const [a1] = ["a1", "a2", "a3"].map((key) => offered(ready, ["a", key]));
    offered(ready, ["b", "b1"]);
    expect(keysOf(ready, 5)).toEqual(["a1", "b1", "a2", "b1", "a3"]);
    if (a1 !== undefined) ready.drop(a1);
    expect(keysOf(ready, 9)).toEqual(["a2", "a3"]);
    expect(ready.size).toBe(0);
  });

  it("end once as many attempts of an endpoint are in flight as its pace allows", () => {
    const ready = new Ready({ inFlight: everybody, wantRead: () => {} });
    offered(ready, ["a", "a1"], { ...pace, limit: 1 });
    expect(keysOf(ready, 9)).toEqual(["a1"]);
  });

  it("look at a bounded number of endpoints, and reach every other one in the next calls", () => {
    let looks = 0;
    const admits = ({ endpoint }: { readonly endpoint: { readonly key: string } }): boolean => {
      looks += 1;
      return endpoint.key === "b1";
    };
    const inFlight = { admits, admitsMerchant: () => true };
    const ready = new Ready({ inFlight, wantRead: () => {} });
    const count = ENGINE.looksPerStart * 3;
    for (let number = 0; number < count; number += 1) offered(ready, ["a", `a${number}`]);
    offered(ready, ["b", "b1"]);
    expect(keysOf(ready, 9)).toEqual([]);
    expect(looks).toBeLessThanOrEqual(ENGINE.looksPerStart);
    expect(keysOf(ready, 1)).toEqual(["b1"]);
  });

  it("pass by any number of endpoints that rest or only fail, of which one starts at a time", () => {
    const ready = new Ready({ inFlight: everybody, wantRead: () => {} });
    for (let number = 0; number < ENGINE.looksPerStart * 3; number += 1) {
      offered(ready, ["a", `rests${number}`], { ...pace, restsUntil: 1 });
      offered(ready, ["a", `fails${number}`], { ...pace, failures: ENGINE.failing });
    }
    offered(ready, ["b", "b1"]);
    expect(keysOf(ready, 9)).toEqual(["fails0", "b1", "b1"]);
    expect(keysOf(ready, 9)).toEqual([]);
    expect(ready.dueAt).toBe(ENGINE.failingGapMs);
    const [[next] = []] = ready.take(ready.dueAt, 9);
    expect(next?.endpoint.key).toBe("fails1");
  });
});

const dueAt = (seq: number, nextAt: number): DueDelivery => ({
  id: `dlv_${seq}`,
  eventId: `evt_${seq}`,
  seq,
  nextAt,
  attempts: 0,
  payload: "{}",
});

it("attempts no delivery again whose attempt is recorded during a read that saw it waiting", async () => {
  const { queues, held, endRead } = queueOfOne();
  held.open.add("dlv_1");
  const reading = queues.read();
  queues.recorded(held, "dlv_1");
  endRead([dueAt(1, REAL_START), dueAt(2, REAL_START)]);
  await reading;
  expect(held.ready.map(({ id }) => id)).toEqual(["dlv_2"]);
});

it("counts what a read finds for a namespace, whose clock waits until nothing more is found", async () => {
  const { queues, endRead } = queueOfOne("clk_1");
  endRead([dueAt(1, REAL_START), dueAt(2, REAL_START)]);
  await queues.read();
  expect(queues.found("clk_1")).toBe(2);
});

it("reads again what is noticed during a read and lies behind its last delivery", async () => {
  const { queues, held, endRead } = queueOfOne();
  const reading = queues.read();
  queues.notice(held, REAL_START - 5);
  endRead([dueAt(2, REAL_START)]);
  await reading;
  expect(held.cursor.nextAt).toBeLessThan(REAL_START - 5);
  queues.sweep();
  expect(queues.dueAt).toBe(0);
});

it("reads from the beginning again when asked to during such a read", async () => {
  const { queues, held, endRead } = queueOfOne();
  const reading = queues.read();
  queues.readFromBeginning(held);
  endRead([dueAt(1, REAL_START)]);
  await reading;
  expect(held.cursor.nextAt).toBe(-1);
});

it("retries on time when the wait is shorter than the time between two looks", async () => {
  const queue = await openQueue();
  await queue.subscribe("sub_1", { clockId: "live" });
  await queue.enqueue("sub_1");
  const transport = fakeTransport((_, count) => answered(count === 1 ? 500 : 204));
  const schedule = { ...policy.schedule, steps: [0, 200] };
  queue.engine(transport, { policy: { schedule } });
  // The next look is five seconds later.
  await expect.poll(() => transport.posts.length, { timeout: 3000 }).toBe(2);
});

it("ends a rest after an overload on time", async () => {
  const queue = await openQueue();
  await queue.subscribe("sub_1", { clockId: "live" });
  await queue.publish(2, ["sub_1"]);
  const transport = fakeTransport((_, count) => answered(count === 1 ? 429 : 204));
  queue.engine(transport, { policy: { concurrencyPerEndpoint: 1 } });
  await expect.poll(() => transport.posts.length, { timeout: 3000 }).toBe(2);
});
