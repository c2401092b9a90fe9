import { describe, expect, it } from "vitest";
import type { ClaimedBatch, DecidedAttempt, DeliveryStore } from "../../../src/delivery/types.ts";
import { answered } from "../queue.ts";
import type { QueueRows } from "./model-store.ts";

const PAUSE = { pause: { failures: 3, afterMs: 1000 } };
const TIMES = { now: 1_000_000, leaseMs: 30_000 };
const BEGINNING = { nextAt: -1, seq: 0 };

const failed = (nextAt: number) => ({ status: 500, state: "waiting", nextAt, at: 2000 }) as const;

/** A store, and what the rest of the service does to its rows. */
export interface OpenStore {
  readonly store: DeliveryStore;
  readonly rows: QueueRows;
}

/** Tests of any delivery store. */
export function deliveryStoreSuite(open: () => Promise<OpenStore>): void {
  async function openWith(...subscriptions: readonly string[]) {
    const { store, rows } = await open();
    for (const key of subscriptions) await rows.subscribe(key);
    const claim = async (key: string, most = 8, after = BEGINNING, times = TIMES) =>
      (await store.claim([{ key, after, most }], times))[0];
    /** Claims the first delivery of a queue, and completes it: it is delivered, but for a change. */
    const completeFirst = async (
      key: string,
      { status = 204, ...change }: Partial<DecidedAttempt> & { readonly status?: number } = {},
    ): Promise<DecidedAttempt> => {
      const { endpoint, deliveries: [delivery] = [] } = (await claim(key, 1)) ?? {};
      if (endpoint === undefined || delivery === undefined)
        throw new Error(`${key} has no delivery`);
      const made = { number: delivery.attempts + 1, startedAt: 1, durationMs: 1 };
      const attempt = { endpoint, delivery, ...made, answer: answered(status) };
      return { attempt, state: "delivered", nextAt: null, at: 2000, ...change };
    };
    return { store, rows, claim, completeFirst };
  }
  const idsOf = (claimed: ClaimedBatch | undefined): string[] | undefined =>
    claimed?.deliveries.map(({ id }) => id);

  it("keeps the latest due clock of all processes", async () => {
    const { store } = await openWith();
    expect([await store.keepTime(700), await store.keepTime(600)]).toEqual([700, 700]);
  });

  describe("a look", () => {
    it("finds each active subscription with something due and free, and where its queue begins", async () => {
      const { store, rows } = await openWith("one", "later", "paused", "closed");
      for (const [index, at] of [30, 10, 20].entries()) await rows.write("one", `d${index}`, at);
      await rows.write("later", "d8", TIMES.now + 1);
      for (const key of ["paused", "closed"]) await rows.write(key, `d-${key}`, 10);
      await rows.pause("paused");
      await rows.close("closed");
      const found = await store.findDue(TIMES);
      expect(found).toMatchObject([
        { key: "one", url: "https://one.example/hooks", first: { nextAt: 10 } },
      ]);
      const claimed = await store.claim([{ key: "one", after: BEGINNING, most: 1 }], TIMES);
      expect(claimed[0]?.deliveries[0]).toMatchObject({ id: "d1", seq: found[0]?.first.seq });
      expect(await store.findDue(TIMES)).toMatchObject([{ key: "one", first: { nextAt: 20 } }]);
    });
  });

  describe("a claim", () => {
    it("takes what is due behind a place, in the order of due times and insertion, as many as it asks for", async () => {
      const { rows, claim } = await openWith("one");
      for (const [index, at] of [30, 10, 30, TIMES.now + 1].entries())
        await rows.write("one", `d${index + 1}`, at);
      const some = await claim("one", 2);
      expect(some).toMatchObject({ endpoint: { key: "one", clockId: "live" }, instant: TIMES.now });
      expect(idsOf(some)).toEqual(["d2", "d1"]);
      const [, d1] = some?.deliveries ?? [];
      expect(d1).toMatchObject({ eventId: "d1", nextAt: 30, attempts: 0, payload: "d1" });
      expect(idsOf(await claim("one", 8, { nextAt: 30, seq: (d1?.seq ?? 0) + 2 }))).toEqual([]);
      expect(idsOf(await claim("one", 8, d1))).toEqual(["d3"]);
    });

    it("belongs to one process until it is recorded or released", async () => {
      const { store, rows, claim, completeFirst } = await openWith("one");
      await rows.write("one", "d1", 0);
      const first = await claim("one");
      expect(idsOf(await claim("one"))).toEqual([]);
      await store.release(first?.deliveries ?? []);
      await store.record([await completeFirst("one", failed(9000))], PAUSE);
      const again = await claim("one");
      expect(again?.deliveries).toMatchObject([{ id: "d1", attempts: 1 }]);
    });

    it("is released only by its process", async () => {
      const { store, rows, claim } = await openWith("one");
      await rows.write("one", "d1", 0);
      const { deliveries = [] } = (await claim("one")) ?? {};
      await store.release(
        deliveries.map((one) => ({ ...one, claimedUntil: one.claimedUntil - 1 })),
      );
      expect(idsOf(await claim("one"))).toEqual([]);
    });

    it("answers each request in its place, and takes nothing of a subscription that is not active or unknown", async () => {
      const { store, rows } = await openWith("one", "paused", "two");
      await rows.write("paused", "d1", 0);
      await rows.write("two", "d2", 0);
      await rows.pause("paused");
      const keys = ["one", "paused", "unknown", "two"];
      const requests = keys.map((key) => ({ key, after: BEGINNING, most: 8 }));
      const claims = await store.claim(requests, TIMES);
      expect(claims.map(idsOf)).toEqual([[], [], undefined, ["d2"]]);
    });
  });

  describe("a completion", () => {
    it("changes its delivery once, however often and by whomever it is written", async () => {
      const { store, rows, completeFirst } = await openWith("one");
      await rows.write("one", "d1", 0);
      const completion = await completeFirst("one", failed(9000));
      for (const completed of [[completion], []])
        expect(await store.record([completion], PAUSE)).toEqual({
          recorded: completed,
          paused: [],
        });
      expect(await rows.delivery("d1")).toEqual(["waiting", 9000, 1]);
    });

    it("ends its claim, and none that another process has made since", async () => {
      const { store, rows, claim, completeFirst } = await openWith("one");
      await rows.write("one", "d1", 0);
      const late = await completeFirst("one", failed(1));
      const { delivery } = late.attempt;
      const earlier = { ...delivery, claimedUntil: delivery.claimedUntil - 1 };
      await store.record([{ ...late, attempt: { ...late.attempt, delivery: earlier } }], PAUSE);
      expect(await rows.delivery("d1")).toEqual(["waiting", 1, 1]);
      expect(idsOf(await claim("one"))).toEqual([]);
      await store.release([delivery]);
      await store.record([await completeFirst("one", failed(2))], PAUSE);
      expect(idsOf(await claim("one"))).toEqual(["d1"]);
    });

    it("is written in a group with others, whose order is kept", async () => {
      const { store, rows, completeFirst } = await openWith("one", "two");
      await rows.write("one", "d2", 0);
      await rows.write("two", "d1", 0);
      const group = [await completeFirst("one"), await completeFirst("two")];
      expect((await store.record(group, PAUSE)).recorded).toEqual(group);
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
        const { recorded: completed } = await store.record([completion], PAUSE);
        expect(completed).toMatchObject([{ state: "waiting", nextAt }]);
        expect(await rows.delivery("d1")).toEqual(["waiting", nextAt, 1]);
      },
    );

    it("that failed answers the replay that made it: the next one is the schedule's", async () => {
      const { store, rows, completeFirst } = await openWith("one");
      await rows.write("one", "d1", 0);
      await store.record([await completeFirst("one", failed(9000))], PAUSE);
      await rows.replay("d1", 1000);
      await store.record([await completeFirst("one", failed(9500))], PAUSE);
      expect(await rows.delivery("d1")).toEqual(["waiting", 9500, 2]);
    });

    it("that succeeded answers a replay during the attempt", async () => {
      const { store, rows, completeFirst } = await openWith("one");
      await rows.write("one", "d1", 0);
      const completion = await completeFirst("one");
      await rows.replay("d1", 4000);
      await store.record([completion], PAUSE);
      expect(await rows.delivery("d1")).toEqual(["delivered", null, 1]);
    });

    it("does not revive a delivery that was dropped during the attempt, unless it succeeded", async () => {
      const { store, rows, completeFirst } = await openWith("one", "two");
      await rows.write("one", "d1", 0);
      await rows.write("two", "d2", 0);
      const group = [await completeFirst("one", failed(9000)), await completeFirst("two")];
      for (const key of ["one", "two"]) await rows.close(key);
      await store.record(group, PAUSE);
      expect(await rows.delivery("d1")).toEqual(["dropped", null, 1]);
      expect(await rows.delivery("d2")).toEqual(["delivered", null, 1]);
    });

    it("[P-EVENT-GONE] B13 of a removed receiver closes the subscription and drops waiting deliveries", async () => {
      const { store, rows, claim, completeFirst } = await openWith("one");
      await rows.write("one", "d1", 0);
      await rows.write("one", "d2", 5);
      const gone = await completeFirst("one", { status: 410, state: "dropped" });
      await store.record([gone], PAUSE);
      expect(await rows.delivery("d2")).toEqual(["dropped", null, 0]);
      expect(idsOf(await claim("one"))).toEqual([]);
    });

    it("[P-EVENT-PAUSE] B13 pauses a subscription once it has failed often and long enough; a success or a resumption restarts the count", async () => {
      const { store, rows, completeFirst } = await openWith("one");
      const next = async (id: string, change?: Parameters<typeof completeFirst>[1]) => {
        await rows.write("one", id, 0);
        return (await store.record([await completeFirst("one", change)], PAUSE)).paused;
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
