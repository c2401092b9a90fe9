import {
  createReceiver,
  type Finding,
  memoryInbox,
  type Outcome,
  type ReadList,
  type ReceiverOptions,
  type ReconcileOptions,
} from "@countersign/receiver";
import { github, stripe } from "@countersign/receiver/providers";
import { signedAttempt } from "@countersign/receiver/testing";
import { describe, expect, it } from "vitest";
import { NOON, secret } from "./fixtures.ts";
import { sqliteInTest } from "./inboxes/in-test.ts";
import { listOf, stripeEvent, stripePages } from "./reconcile-list.ts";

const HOUR = 3_600_000;
const since = NOON - HOUR;

/** A receiver of Stripe's events at noon, whose handlers write down what they got. */
function stripeReceiver(options: Partial<ReceiverOptions<unknown>> = {}) {
  const handled: string[] = [];
  const reconciled: (true | undefined)[] = [];
  const outcomes: Outcome[] = [];
  const receiver = createReceiver({
    provider: stripe,
    secrets: [secret],
    fallback: ({ id }, { event }) => {
      handled.push(id);
      reconciled.push(event.reconciled);
    },
    inbox: sqliteInTest(),
    log: false,
    explain: false,
    now: () => NOON,
    onOutcome: (outcome) => outcomes.push(outcome),
    ...options,
  });
  const deliver = (event: object): Promise<Outcome> =>
    receiver.receive(signedAttempt({ provider: stripe, secrets: [secret], event, now: NOON }));
  const findings: Finding[] = [];
  const named = (): string[] => findings.map(({ kind, key }) => `${kind} ${key.id}`);
  /** Reconciles with a list since an hour ago, and feeds at once. */
  const reconcile = (list: ReadList, more: Partial<ReconcileOptions> = {}) =>
    receiver.reconcile(list, {
      since,
      wait: async () => undefined,
      onFinding: (finding) => findings.push(finding),
      ...more,
    });
  return { receiver, handled, reconciled, outcomes, deliver, findings, named, reconcile };
}

const minutesAgo = (number: number) => stripeEvent(number, { at: NOON - number * 60_000 });

describe("reconciliation with Stripe's list", () => {
  it("reports an event that never arrived and one that is only here, and runs nothing", async () => {
    const { reconcile, deliver, handled, named } = stripeReceiver();
    await deliver(minutesAgo(10));
    await deliver(minutesAgo(20));
    const { list } = listOf(stripe, stripePages([minutesAgo(10), minutesAgo(30)]));

    const result = await reconcile(list, { until: NOON });

    expect(named()).toEqual(["never-arrived evt_30", "only-here evt_20"]);
    expect(result).toMatchObject({ listed: 2, handled: 1, neverArrived: 1, onlyHere: 1 });
    expect(handled).toEqual(["evt_10", "evt_20"]);
  });

  it("feeds an event that never arrived through its handler, unsigned and marked", async () => {
    const { reconcile, handled, reconciled, outcomes } = stripeReceiver();
    const { list } = listOf(stripe, stripePages([minutesAgo(10)]));

    await reconcile(list, { feed: true });

    expect(handled).toEqual(["evt_10"]);
    expect(reconciled).toEqual([true]);
    expect(outcomes).toMatchObject([{ kind: "unrouted", reconciled: true }]);
  });

  it("feeds an event whose handler failed", async () => {
    let fails = true;
    const seen: string[] = [];
    const { reconcile, deliver, named } = stripeReceiver({
      fallback: ({ id }) => {
        if (fails) throw new Error("down");
        seen.push(id);
      },
    });
    await deliver(minutesAgo(10));
    fails = false;
    const { list } = listOf(stripe, stripePages([minutesAgo(10)]));

    await reconcile(list, { feed: true });

    expect(named()).toEqual(["unhandled evt_10"]);
    expect(seen).toEqual(["evt_10"]);
  });

  it("feeds the events of a page in the order in which they happened", async () => {
    const { reconcile, handled } = stripeReceiver();
    const { list } = listOf(stripe, stripePages([minutesAgo(10), minutesAgo(20), minutesAgo(30)]));

    await reconcile(list, { feed: true });

    expect(handled).toEqual(["evt_30", "evt_20", "evt_10"]);
  });

  it.for(["duplicate", "conflict"] as const)(
    "counts a later delivery of a fed event with other bytes as a duplicate, with onIdReuse %s",
    async (onIdReuse) => {
      const { reconcile, handled, deliver } = stripeReceiver({ onIdReuse });
      const { list } = listOf(stripe, stripePages([minutesAgo(10)]));
      await reconcile(list, { feed: true });

      const outcome = await deliver({ ...minutesAgo(10), api_version: "2020-08-27" });

      expect(outcome).toMatchObject({ kind: "duplicate", bodyDiffers: true });
      expect(handled).toEqual(["evt_10"]);
    },
  );

  it("feeds nothing twice when a run is repeated", async () => {
    const { reconcile, handled } = stripeReceiver();
    const { list } = listOf(stripe, stripePages([minutesAgo(10)]));
    await reconcile(list, { feed: true });

    const again = await reconcile(list, { feed: true });

    expect(again).toMatchObject({ handled: 1, neverArrived: 0 });
    expect(handled).toEqual(["evt_10"]);
  });

  it("finishes the rest after a run that ended in its midst", async () => {
    const { reconcile, handled } = stripeReceiver();
    const pages = stripePages(
      Array.from({ length: 250 }, (_, index) => minutesAgo(10 + index / 10)),
    );
    const cut = listOf(stripe, (asked, number) => (number < 2 ? pages(asked) : { status: 404 }));
    const first = reconcile(cut.list, { feed: true });
    await expect(first).rejects.toMatchObject({ code: "CS_LIST_REFUSED" });

    await reconcile(listOf(stripe, pages).list, { feed: true });

    expect(new Set(handled).size).toBe(250);
    expect(handled).toHaveLength(250);
  });

  it("waits between two fed events as the rate says", async () => {
    const { reconcile } = stripeReceiver();
    const { list } = listOf(stripe, stripePages([minutesAgo(10), minutesAgo(20)]));
    const waits: number[] = [];

    const pause = async (ms: number): Promise<void> => void waits.push(ms);
    await reconcile(list, { feed: true, rate: 4, wait: pause });

    expect(waits).toEqual([250, 250]);
  });

  it("leaves out events that are younger than five minutes", async () => {
    const { reconcile } = stripeReceiver();
    const { list } = listOf(stripe, stripePages([minutesAgo(4)]));

    expect(await reconcile(list)).toMatchObject({ listed: 0, neverArrived: 0 });
  });

  it("compares only the given types", async () => {
    const { reconcile } = stripeReceiver();
    const { list } = listOf(stripe, stripePages([minutesAgo(10)]));

    const result = await reconcile(list, { types: ["charge.refunded"] });

    expect(result).toMatchObject({ listed: 0, neverArrived: 0 });
  });

  it("stores a missing event for workers, with its mark, when the inbox stores first", async () => {
    const { receiver, reconcile, reconciled, outcomes, handled } = stripeReceiver({
      acknowledge: "after-store",
    });
    const { list } = listOf(stripe, stripePages([minutesAgo(10)]));

    await reconcile(list, { feed: true });
    receiver.start();
    await expect.poll(() => handled).toEqual(["evt_10"]);
    await receiver.stop();

    expect(reconciled).toEqual([true]);
    expect(outcomes).toMatchObject([
      { kind: "stored", reconciled: true },
      { kind: "unrouted", reconciled: true },
    ]);
  });

  it("reports dead events, and does not feed them", async () => {
    const { receiver, reconcile, deliver, findings, named } = stripeReceiver({
      acknowledge: "after-store",
      workers: { maxAttempts: 1 },
      fallback: () => {
        throw new Error("always");
      },
    });
    await deliver(minutesAgo(10));
    receiver.start();
    await expect.poll(() => receiver.dead()).toHaveLength(1);
    await receiver.stop();
    const { list } = listOf(stripe, stripePages([minutesAgo(10)]));

    await reconcile(list, { feed: true });

    expect(named()).toEqual(["dead evt_10"]);
    expect(findings[0]?.outcome).toBeUndefined();
  });

  it("refuses an inbox that forgets with its process", async () => {
    const { reconcile } = stripeReceiver({ inbox: memoryInbox() });
    const { list } = listOf(stripe, stripePages([]));

    await expect(reconcile(list)).rejects.toMatchObject({
      code: "CS_OPTION_CONFLICT",
    });
  });

  it("refuses a time before the inbox's retention", async () => {
    const { reconcile } = stripeReceiver();
    const { list } = listOf(stripe, stripePages([]));

    const run = reconcile(list, { since: NOON - 31 * 24 * HOUR, feed: true });

    await expect(run).rejects.toMatchObject({ code: "CS_OPTION_CONFLICT" });
  });
});

describe("reconciliation with GitHub's list of deliveries", () => {
  it("knows a delivery by its unsigned id and type, counts its attempts once, and leaves out pings", async () => {
    const { receiver, reconcile, findings } = stripeReceiver({ provider: github });
    const event = { action: "opened" };
    const headers = { "X-GitHub-Event": "pull_request", "X-GitHub-Delivery": "g-1" };
    const outcome = await receiver.receive(
      signedAttempt({ provider: github, secrets: [secret], event, headers, now: NOON }),
    );
    expect(outcome).toMatchObject({ kind: "unrouted" });
    const guid = "g-1";
    const delivered = {
      event: "pull_request",
      action: "opened",
      delivered_at: new Date(NOON).toISOString(),
    };
    const text = JSON.stringify([
      { ...delivered, guid, id: 2 },
      { ...delivered, guid, id: 1 },
      { ...delivered, guid: "g-ping", id: 3, event: "ping", action: null },
      { ...delivered, guid: "g-missing", id: 4, event: "push", action: null },
    ]).replace('"id":4', '"id":9007199254740993');
    const url = "https://api.github.com/repos/o/r/hooks/1/deliveries";
    const { list } = listOf(github, () => ({ body: text }), { url });

    const counts = await reconcile(list, { until: NOON });

    expect(counts).toMatchObject({ listed: 2, handled: 1, neverArrived: 1, onlyHere: 0 });
    expect(findings).toMatchObject([
      { key: { id: "g-missing push" }, redeliverId: "9007199254740993" },
    ]);
  });
});
