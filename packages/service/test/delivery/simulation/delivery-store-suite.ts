import { describe, expect, it } from "vitest";
import type {
  Completion,
  DeliveryStore,
  Endpoint,
  ReadRequest,
} from "../../../src/delivery/types.ts";
import { answered } from "../queue.ts";
import type { QueueRows } from "./model-store.ts";

const PAUSE = { pause: { failures: 3, afterMs: 1000 } };
const ALL = { now: 1_000_000, most: 8 };

const keys = (endpoints: readonly { readonly key: string }[]): string[] =>
  endpoints.map(({ key }) => key).toSorted();
const ask = (endpoint: Endpoint, nextAt = -1, seq = 0): ReadRequest => ({
  endpoint,
  after: { nextAt, seq },
});
const failed = (nextAt: number) => ({ status: 500, state: "waiting", nextAt, at: 2000 }) as const;

/** A store, and what the rest of the service does to its rows. */
export interface OpenStore {
  readonly store: DeliveryStore;
  readonly rows: QueueRows;
}

/** Tests of any delivery store. */
export function deliveryStoreSuite(open: () => Promise<OpenStore>): void {
  /** A store with these subscriptions, all leased by the member `a`. */
  async function openWith(...subscriptions: readonly string[]) {
    const { store, rows } = await open();
    for (const key of subscriptions) await rows.subscribe(key);
    await store.join("a");
    const leased = await store.take("a", { keys: subscriptions });
    /** Reads a queue from its beginning, and completes the first delivery: it is delivered, but for a change. */
    const completeFirst = async (
      key: string,
      { status = 204, ...change }: Partial<Completion> & { readonly status?: number } = {},
    ): Promise<Completion> => {
      const [endpoint] = leased.filter((one) => one.key === key);
      const [result] = endpoint === undefined ? [] : await store.read([ask(endpoint)], ALL);
      const [delivery] = result?.due ?? [];
      if (endpoint === undefined || delivery === undefined)
        throw new Error(`${key} has no delivery`);
      const made = { number: delivery.attempts + 1, startedAt: 1, durationMs: 1 };
      const attempt = { endpoint, delivery, ...made, answer: answered(status) };
      return { attempt, state: "delivered", nextAt: null, isGone: false, at: 2000, ...change };
    };
    const requests = leased.map((one) => ask(one));
    return { store, rows, leased, requests, completeFirst };
  }

  describe("members", () => {
    it("are reported with their heartbeats and endpoints, and with the latest due clock of all", async () => {
      const { store } = await openWith("one", "two");
      expect(await store.beat({ id: "a", beat: 1, now: 700 })).toEqual({
        members: [{ id: "a", beat: 1, endpoints: 2 }],
        now: 700,
      });
      await store.join("b");
      const { members, now } = await store.beat({ id: "b", beat: 2, now: 600 });
      expect(now).toBe(700);
      expect(members.toSorted((one, other) => one.beat - other.beat)).toEqual([
        { id: "a", beat: 1, endpoints: 2 },
        { id: "b", beat: 2, endpoints: 0 },
      ]);
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
      const { store, rows, leased } = await openWith("one");
      await rows.subscribe("paused");
      await rows.pause("paused");
      expect(leased).toMatchObject([{ key: "one", merchantId: "mer_live", clockId: "live" }]);
      expect(await store.take("a", { keys: ["one", "paused", "unknown"] })).toEqual([]);
    });

    it("are given for endpoints with deliveries due by an instant, as many as a call allows", async () => {
      const { store, rows } = await openWith();
      for (const [key, dueAt] of [
        ["soon", 1000],
        ["later", 1001],
        ["last", 2000],
      ] as const) {
        await rows.subscribe(key);
        await rows.write(key, `d-${key}`, dueAt);
      }
      expect(await store.take("a", { dueBy: 999, most: 9 })).toEqual([]);
      expect(keys(await store.take("a", { dueBy: 1000, most: 9 }))).toEqual(["soon"]);
      expect(await store.take("a", { dueBy: 2000, most: 1 })).toHaveLength(1);
      expect(await store.take("a", { dueBy: 2000, most: 9 })).toHaveLength(1);
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
    it("returns what is due behind the cursor in the order of due times and insertion, as many as a call allows, and when more is due", async () => {
      const { store, rows, leased } = await openWith("one");
      for (const [index, at] of [30, 10, 30, 99, 98].entries())
        await rows.write("one", `d${index + 1}`, at);
      const read = async (most: number, nextAt?: number, seq?: number) =>
        (
          await store.read(
            leased.map((one) => ask(one, nextAt, seq)),
            { now: 50, most },
          )
        )[0];
      const all = await read(4);
      expect(all).toMatchObject({ key: "one", now: 50, nextAt: 98, isWhole: true });
      expect(all?.due.map(({ id }) => id)).toEqual(["d2", "d1", "d3"]);
      const [, d1, d3] = all?.due ?? [];
      expect(d3).toEqual({ ...d1, id: "d3", eventId: "d3", seq: d3?.seq, payload: "d3" });
      expect((await read(4, d1?.nextAt, d1?.seq))?.due).toEqual([d3]);
      const some = await read(2);
      expect(some).toMatchObject({ due: [{ id: "d2" }, { id: "d1" }], isWhole: false });
    });

    it("has a result for an endpoint without deliveries, and none for a paused or closed subscription", async () => {
      const { store, rows, requests } = await openWith("empty", "paused", "closed");
      await rows.pause("paused");
      await rows.close("closed");
      expect(await store.read(requests, { now: 50, most: 4 })).toEqual([
        { key: "empty", now: 50, due: [], nextAt: undefined, isWhole: true },
      ]);
    });
  });

  describe("a completion", () => {
    it("changes its delivery once, however often and by whomever it is written", async () => {
      const { store, rows, completeFirst } = await openWith("one");
      await rows.write("one", "d1", 0);
      const completion = await completeFirst("one", failed(9000));
      for (const completed of [[completion], []])
        expect(await store.complete([completion], PAUSE)).toEqual({ completed, paused: [] });
      expect(await rows.delivery("d1")).toEqual(["waiting", 9000, 1]);
    });

    it("is written in a group with others, whose order is kept", async () => {
      const { store, rows, completeFirst } = await openWith("one", "two");
      await rows.write("one", "d2", 0);
      await rows.write("two", "d1", 0);
      const group = [await completeFirst("one"), await completeFirst("two")];
      expect((await store.complete(group, PAUSE)).completed).toEqual(group);
      expect(await rows.delivery("d1")).toEqual(["delivered", null, 1]);
    });

    it.each([
      [0, 4000],
      [4000, 3999],
    ])(
      "that failed leaves a delivery that was due at %i due at %i after a replay during the attempt, even if it was the last one",
      async (dueAt, nextAt) => {
        const { store, rows, completeFirst } = await openWith("one");
        await rows.write("one", "d1", dueAt);
        const completion = await completeFirst("one", { status: 500, state: "exhausted" });
        await rows.replay("d1", 4000);
        const { completed } = await store.complete([completion], PAUSE);
        expect(completed).toMatchObject([{ state: "waiting", nextAt }]);
        expect(await rows.delivery("d1")).toEqual(["waiting", nextAt, 1]);
      },
    );

    it("that failed answers the replay that made it: the next one is the schedule's", async () => {
      const { store, rows, completeFirst } = await openWith("one");
      await rows.write("one", "d1", 0);
      await store.complete([await completeFirst("one", failed(9000))], PAUSE);
      await rows.replay("d1", 1000);
      await store.complete([await completeFirst("one", failed(9500))], PAUSE);
      expect(await rows.delivery("d1")).toEqual(["waiting", 9500, 2]);
    });

    it("that succeeded answers a replay during the attempt", async () => {
      const { store, rows, completeFirst } = await openWith("one");
      await rows.write("one", "d1", 0);
      const completion = await completeFirst("one");
      await rows.replay("d1", 4000);
      await store.complete([completion], PAUSE);
      expect(await rows.delivery("d1")).toEqual(["delivered", null, 1]);
    });

    it("does not revive a delivery that was dropped during the attempt, unless it succeeded", async () => {
      const { store, rows, completeFirst } = await openWith("one", "two");
      await rows.write("one", "d1", 0);
      await rows.write("two", "d2", 0);
      const group = [await completeFirst("one", failed(9000)), await completeFirst("two")];
      for (const key of ["one", "two"]) await rows.close(key);
      await store.complete(group, PAUSE);
      expect(await rows.delivery("d1")).toEqual(["dropped", null, 1]);
      expect(await rows.delivery("d2")).toEqual(["delivered", null, 1]);
    });

    it("[P-EVENT-GONE] B13 of a removed receiver closes the subscription and drops waiting deliveries", async () => {
      const { store, rows, requests, completeFirst } = await openWith("one");
      await rows.write("one", "d1", 0);
      await rows.write("one", "d2", 5);
      const gone = await completeFirst("one", { status: 410, state: "dropped", isGone: true });
      await store.complete([gone], PAUSE);
      expect(await rows.delivery("d2")).toEqual(["dropped", null, 0]);
      expect(await store.read(requests, ALL)).toEqual([]);
    });

    it("[P-EVENT-PAUSE] B13 pauses a subscription once it has failed often and long enough; a success or a resumption restarts the count", async () => {
      const { store, rows, completeFirst } = await openWith("one");
      const next = async (id: string, change?: Parameters<typeof completeFirst>[1]) => {
        await rows.write("one", id, 0);
        return (await store.complete([await completeFirst("one", change)], PAUSE)).paused;
      };
      const lost = (at: number) => ({ status: 500, state: "exhausted", at }) as const;
      expect(await next("d1", lost(1000))).toEqual([]);
      expect(await next("d2")).toEqual([]);
      expect(await next("d3", lost(2000))).toEqual([]);
      expect(await next("d4", lost(3500))).toEqual([]);
      expect(await next("d5", lost(3500))).toEqual(["one"]);
      await rows.resume("one");
      for (const [at, ms] of [9000, 9001, 9999].entries())
        expect(await next(`e${at}`, lost(ms))).toEqual([]);
      expect(await next("d6", lost(10_000))).toEqual(["one"]);
    });
  });
}
