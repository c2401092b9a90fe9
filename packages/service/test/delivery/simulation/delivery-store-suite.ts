import { describe, expect, it } from "vitest";
import type { Completion, Endpoint, ReadRequest } from "../../../src/delivery/types.ts";
import { answered, CLOCK_START } from "../queue.ts";
import type { OpenQueue } from "./model-store.ts";

const PAUSE = { pause: { failures: 3, afterMs: 1000 } };
const ALL = { now: 1_000_000, most: 8 };

const keys = (endpoints: readonly { readonly key: string }[]): string[] =>
  endpoints.map(({ key }) => key).toSorted();
const ask = (endpoint: Endpoint, nextAt = -1, seq = 0): ReadRequest => ({
  endpoint,
  after: { nextAt, seq },
});

/** Reads a subscription's queue from its beginning, and completes the first delivery. */
async function completeFirst(
  { store }: OpenQueue,
  endpoint: Endpoint,
  change: Partial<Completion> & { readonly status?: number } = {},
): Promise<Completion> {
  const delivery = first(first(await store.read([ask(endpoint)], ALL)).due);
  const { status = 204, ...rest } = change;
  const made = { number: delivery.attempts + 1, startedAt: 1, durationMs: 1 };
  const attempt = { endpoint, delivery, ...made, answer: answered(status) };
  const next = { state: "delivered", nextAt: null, isGone: false, at: 2000 } as const;
  return { attempt, ...next, ...rest };
}

const failed = (nextAt: number) => ({ status: 500, state: "waiting", nextAt, at: 2000 }) as const;
const first = <Item>([item]: readonly Item[]): Item => {
  if (item === undefined) throw new Error("the list is empty");
  return item;
};

/** Tests of any delivery store. */
export function deliveryStoreSuite(open: () => Promise<OpenQueue>): void {
  const openWith = async (
    ...subscriptions: readonly string[]
  ): Promise<OpenQueue & { leased: Endpoint[] }> => {
    const queue = await open();
    for (const key of subscriptions) await queue.subscribe(key);
    await queue.store.join("a");
    return Object.assign(queue, { leased: await queue.store.take("a", { keys: subscriptions }) });
  };
  describe("members", () => {
    it("are reported with their heartbeats and endpoints, and with the latest due clock of all", async () => {
      const { store } = await openWith("one", "two");
      expect(await store.beat({ id: "a", beat: 1, now: 700 })).toEqual({
        members: [{ id: "a", beat: 1, endpoints: 2 }],
        now: 700,
      });
      expect(await store.beat({ id: "a", beat: 2, now: 600 })).toMatchObject({
        members: [{ beat: 2 }],
        now: 700,
      });
    });

    it("end when another one joins a database for one process, and live together in others", async () => {
      const { isSingle, store } = await openWith("one");
      await store.join("b");
      const { members } = await store.beat({ id: "b", beat: 1, now: 0 });
      expect(members.map(({ id }) => id).toSorted()).toEqual(isSingle ? ["b"] : ["a", "b"]);
      expect(keys(await store.take("b", { keys: ["one"] }))).toEqual(isSingle ? ["one"] : []);
    });

    it("join again under the same name, and do not include a removed one, whose heartbeats have no effect", async () => {
      const { store } = await openWith();
      await store.join("a");
      expect((await store.beat({ id: "a", beat: 1, now: 0 })).members).toHaveLength(1);
      await store.remove({ id: "a" });
      expect((await store.beat({ id: "a", beat: 5, now: 0 })).members).toEqual([]);
    });

    it("are removed with a heartbeat only if it is still the last one, which frees their leases", async () => {
      const { store } = await openWith("one");
      await store.beat({ id: "a", beat: 3, now: 0 });
      await store.remove({ id: "a", beat: 2 });
      expect(await store.take("b", { keys: ["one"] })).toEqual([]);
      await store.remove({ id: "a", beat: 3 });
      expect(keys(await store.take("b", { keys: ["one"] }))).toEqual(["one"]);
    });
  });

  describe("leases", () => {
    it("are given for active, free endpoints that are named, each to one member", async () => {
      const queue = await openWith("one");
      await queue.subscribe("paused");
      await queue.pause("paused");
      expect(queue.leased).toMatchObject([{ key: "one", merchantId: "mer_live", clockId: "live" }]);
      expect(await queue.store.take("a", { keys: ["one", "paused", "unknown"] })).toEqual([]);
    });

    it("are given for endpoints with deliveries due by an instant of the live clock, or by their own clock", async () => {
      const queue = await openWith();
      for (const key of ["soon", "later"]) await queue.subscribe(key);
      await queue.subscribe("own", "clk_1");
      await queue.subscribe("ahead", "clk_1");
      await queue.write("soon", "d1", 1000);
      await queue.write("later", "d2", 1001);
      await queue.write("own", "d3", CLOCK_START);
      await queue.write("ahead", "d4", CLOCK_START + 1);
      expect(keys(await queue.store.take("a", { dueBy: 0, most: 9, clockId: "clk_1" }))).toEqual([
        "own",
      ]);
      expect(keys(await queue.store.take("a", { dueBy: 1000, most: 9 }))).toEqual(["soon"]);
      expect(keys(await queue.store.take("a", { dueBy: 2000, most: 9 }))).toEqual(["later"]);
    });

    it("never exceed the number that a call allows", async () => {
      const queue = await openWith();
      for (const key of ["one", "two", "three"]) {
        await queue.subscribe(key);
        await queue.write(key, `d-${key}`, 0);
      }
      expect(await queue.store.take("a", { dueBy: 0, most: 2 })).toHaveLength(2);
      expect(await queue.store.take("a", { dueBy: 0, most: 2 })).toHaveLength(1);
    });

    it("are found and given back by their member only", async () => {
      const { store } = await openWith("one", "two");
      expect(keys(await store.take("a", "own"))).toEqual(["one", "two"]);
      expect(await store.take("b", "own")).toEqual([]);
      await store.release("b", ["one"]);
      await store.release("a", ["two"]);
      expect(keys(await store.take("a", { keys: ["one", "two"] }))).toEqual(["two"]);
    });
  });

  describe("a read", () => {
    it("returns what is due behind the cursor in the order of due times and insertion, and when more is due", async () => {
      const queue = await openWith("one");
      for (const [index, at] of [30, 10, 30, 99, 98].entries())
        await queue.write("one", `d${index + 1}`, at);
      const endpoint = first(queue.leased);
      const [all] = await queue.store.read([ask(endpoint)], { now: 50, most: 4 });
      expect(all).toMatchObject({ key: "one", now: 50, nextAt: 98, isWhole: true });
      expect(all?.due.map(({ id }) => id)).toEqual(["d2", "d1", "d3"]);
      const [, d1] = all?.due ?? [];
      const [rest] = await queue.store.read([ask(endpoint, d1?.nextAt, d1?.seq)], {
        now: 50,
        most: 4,
      });
      expect(rest?.due).toEqual([
        { ...d1, id: "d3", eventId: "d3", seq: rest?.due[0]?.seq, payload: "d3" },
      ]);
    });

    it("stops at the number that a call allows, and reports that more is due", async () => {
      const queue = await openWith("one");
      for (const id of ["d1", "d2", "d3"]) await queue.write("one", id, 0);
      const [some] = await queue.store.read([ask(first(queue.leased))], { now: 50, most: 2 });
      expect(some).toMatchObject({ due: [{ id: "d1" }, { id: "d2" }], isWhole: false });
    });

    it("has a result for an endpoint without deliveries, and none for a paused or closed subscription", async () => {
      const queue = await openWith("empty", "paused", "closed");
      await queue.pause("paused");
      await queue.close("closed");
      const results = await queue.store.read(
        queue.leased.map((one) => ask(one)),
        { now: 50, most: 4 },
      );
      expect(results).toEqual([
        { key: "empty", now: 50, due: [], nextAt: undefined, isWhole: true },
      ]);
    });

    it("compares with the subscription's own clock, unless that is the live one", async () => {
      const queue = await openWith();
      await queue.subscribe("own", "clk_1");
      await queue.write("own", "d1", CLOCK_START);
      const endpoint = first(await queue.store.take("a", { keys: ["own"] }));
      const [result] = await queue.store.read([ask(endpoint)], { now: 1, most: 4 });
      expect(result).toMatchObject({ now: CLOCK_START, due: [{ id: "d1" }] });
    });
  });

  describe("a completion", () => {
    it("changes its delivery once, however often and by whomever it is written", async () => {
      const queue = await openWith("one");
      await queue.write("one", "d1", 0);
      const completion = await completeFirst(queue, first(queue.leased), failed(9000));
      for (const completed of [[completion], []])
        expect(await queue.store.complete([completion], PAUSE)).toEqual({ completed, paused: [] });
      expect(await queue.delivery("d1")).toEqual(["waiting", 9000, 1]);
    });

    it("is written in a group with others, whose order is kept", async () => {
      const queue = await openWith("one", "two");
      await queue.write("one", "d2", 0);
      await queue.write("two", "d1", 0);
      const group = await Promise.all(
        queue.leased.map((endpoint) => completeFirst(queue, endpoint)),
      );
      const { completed } = await queue.store.complete(group, PAUSE);
      expect(completed).toEqual(group);
      expect(await queue.delivery("d1")).toEqual(["delivered", null, 1]);
    });

    it.each([
      [0, 4000],
      [4000, 3999],
    ])(
      "that failed leaves a delivery that was due at %i due at %i after a replay during the attempt, even if it was the last one",
      async (dueAt, nextAt) => {
        const queue = await openWith("one");
        await queue.write("one", "d1", dueAt);
        const completion = await completeFirst(queue, first(queue.leased), {
          status: 500,
          state: "exhausted",
        });
        await queue.replay("d1", 4000);
        const { completed } = await queue.store.complete([completion], PAUSE);
        expect(completed).toMatchObject([{ state: "waiting", nextAt }]);
        expect(await queue.delivery("d1")).toEqual(["waiting", nextAt, 1]);
      },
    );

    it("that failed answers the replay that made it: the next one is the schedule's", async () => {
      const queue = await openWith("one");
      await queue.write("one", "d1", 0);
      const endpoint = first(queue.leased);
      await queue.store.complete([await completeFirst(queue, endpoint, failed(9000))], PAUSE);
      await queue.replay("d1", 1000);
      await queue.store.complete([await completeFirst(queue, endpoint, failed(9500))], PAUSE);
      expect(await queue.delivery("d1")).toEqual(["waiting", 9500, 2]);
    });

    it("that succeeded answers a replay during the attempt", async () => {
      const queue = await openWith("one");
      await queue.write("one", "d1", 0);
      const completion = await completeFirst(queue, first(queue.leased));
      await queue.replay("d1", 4000);
      await queue.store.complete([completion], PAUSE);
      expect(await queue.delivery("d1")).toEqual(["delivered", null, 1]);
    });

    it("does not revive a delivery that was dropped during the attempt, unless it succeeded", async () => {
      const queue = await openWith("one", "two");
      await queue.write("one", "d1", 0);
      await queue.write("two", "d2", 0);
      const leased = (name: string) => first(queue.leased.filter(({ key }) => key === name));
      const group = [
        await completeFirst(queue, leased("one"), failed(9000)),
        await completeFirst(queue, leased("two")),
      ];
      await queue.close("one");
      await queue.close("two");
      await queue.store.complete(group, PAUSE);
      expect(await queue.delivery("d1")).toEqual(["dropped", null, 1]);
      expect(await queue.delivery("d2")).toEqual(["delivered", null, 1]);
    });

    it("[P-EVENT-GONE] B13 of a removed receiver closes the subscription and drops waiting deliveries", async () => {
      const queue = await openWith("one");
      await queue.write("one", "d1", 0);
      await queue.write("one", "d2", 5);
      const gone = await completeFirst(queue, first(queue.leased), {
        status: 410,
        state: "dropped",
        isGone: true,
      });
      await queue.store.complete([gone], PAUSE);
      expect(await queue.delivery("d2")).toEqual(["dropped", null, 0]);
      expect(await queue.store.read([ask(first(queue.leased))], ALL)).toEqual([]);
    });

    it("[P-EVENT-PAUSE] B13 pauses a subscription once it has failed often and long enough; a success or a resumption restarts the count", async () => {
      const queue = await openWith("one");
      const endpoint = first(queue.leased);
      const next = async (
        id: string,
        change: Parameters<typeof completeFirst>[2],
      ): Promise<readonly string[]> => {
        await queue.write("one", id, 0);
        return (await queue.store.complete([await completeFirst(queue, endpoint, change)], PAUSE))
          .paused;
      };
      const lost = (at: number) => ({ status: 500, state: "exhausted", at }) as const;
      expect(await next("d1", lost(1000))).toEqual([]);
      expect(await next("d2", {})).toEqual([]);
      expect(await next("d3", lost(2000))).toEqual([]);
      expect(await next("d4", lost(3500))).toEqual([]);
      expect(await next("d5", lost(3500))).toEqual(["one"]);
      await queue.resume("one");
      for (const [at, ms] of [9000, 9001, 9999].entries())
        expect(await next(`e${at}`, lost(ms))).toEqual([]);
      expect(await next("d6", lost(10_000))).toEqual(["one"]);
    });
  });
}
