import { expect, it } from "vitest";
import { DueClock } from "../../src/clock.ts";
import { Queues } from "../../src/delivery/queues.ts";
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
  const endRead = (due: readonly DueDelivery[] = []): void =>
    read.resolve([{ key: "sub_1", now: REAL_START, due, nextAt: undefined, isWhole: true }]);
  return { queues, held, clock, endRead };
}

it("sweeps as early as a due time that is noticed after the last sweep", async () => {
  const { queues, held, endRead } = queueOfOne();
  endRead();
  await queues.read(false);
  expect(queues.sweep()).toBe(5000);
  queues.notice(held, REAL_START + 200);
  expect(queues.sweepAt).toBe(200);
});

it("keeps a due time that is noticed during a read that does not see it", async () => {
  const { queues, held, clock, endRead } = queueOfOne();
  const reading = queues.read(false);
  queues.notice(held, REAL_START + 200);
  endRead();
  await reading;
  expect(queues.sweep()).toBe(200);
  clock.advance(200);
  queues.sweep();
  expect(queues.hasToRead).toBe(true);
});

it("reads at once what is noticed for a namespace, whose clock may have moved since the last read", async () => {
  const { queues, held, endRead } = queueOfOne("clk_1");
  endRead();
  await queues.read(false);
  queues.notice(held, REAL_START + 86_400_000);
  expect(queues.hasToRead).toBe(true);
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
  const reading = queues.read(false);
  queues.recorded(held, "dlv_1");
  endRead([dueAt(1, REAL_START), dueAt(2, REAL_START)]);
  await reading;
  expect(held.ready.map(({ id }) => id)).toEqual(["dlv_2"]);
});

it("reads again what is noticed during a read and lies behind its last delivery", async () => {
  const { queues, held, endRead } = queueOfOne();
  const reading = queues.read(false);
  queues.notice(held, REAL_START - 5);
  endRead([dueAt(2, REAL_START)]);
  await reading;
  expect(held.cursor.nextAt).toBeLessThan(REAL_START - 5);
  expect(queues.hasToRead).toBe(true);
});

it("reads from the beginning again when asked to during such a read", async () => {
  const { queues, held, endRead } = queueOfOne();
  const reading = queues.read(false);
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
