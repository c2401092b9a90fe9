import {
  type Finding,
  memoryInbox,
  type Outcome,
  type ReceiverOptions,
  type ReconcileOptions,
} from "@countersign/receiver";
import { github, stripe } from "@countersign/receiver/providers";
import { describe, expect, it } from "vitest";
import { attemptOf, receiverOf } from "./any-provider.ts";
import { NOON } from "./fixtures.ts";
import { sqliteInTest } from "./inboxes/in-test.ts";
import { type Asked, listOf, type Page, stripeEvent, stripePages } from "./reconcile-list.ts";

const HOUR = 3_600_000;
const minutesAgo = (number: number) => stripeEvent(number, { at: NOON - number * 60_000 });

/** A receiver at noon whose fallback writes down what it got, and Stripe's list of events, each by its age in minutes. */
function reconciling(
  listed: readonly number[] | ((asked: Asked, number: number) => Page),
  options: Partial<ReceiverOptions<unknown>> = {},
) {
  const outcomes: Outcome[] = [];
  const findings: Finding[] = [];
  const { receiver, seen } = receiverOf(stripe, {
    inbox: sqliteInTest(),
    onOutcome: (outcome) => void outcomes.push(outcome),
    ...options,
  });
  const answer = typeof listed === "function" ? listed : stripePages(listed.map(minutesAgo));
  return {
    receiver,
    outcomes,
    seen: () => seen.map(({ id }) => id),
    marks: () => seen.map(({ reconciled }) => reconciled),
    proved: () => seen.flatMap(({ signed }) => Object.values(signed)),
    findings: () => findings.map(({ kind, key }) => `${kind} ${key.id}`),
    deliver: (number: number, more: object = {}) =>
      receiver.receive(attemptOf(stripe, { ...minutesAgo(number), ...more })),
    /** Reconciles since an hour ago, and feeds without a pause. */
    reconcile: (more: Partial<ReconcileOptions> = {}, list = listOf(stripe, answer).list) =>
      receiver.reconcile(list, {
        since: NOON - HOUR,
        feed: true,
        wait: async () => undefined,
        onFinding: (finding) => findings.push(finding),
        ...more,
      }),
  };
}

describe("reconciliation with Stripe's list", () => {
  it("reports an event that never arrived and one that is only here, and runs nothing unless it feeds", async () => {
    const { reconcile, deliver, seen, findings } = reconciling([10, 30]);
    for (const number of [10, 20]) await deliver(number);
    const result = await reconcile({ until: NOON, feed: false });
    expect(findings()).toEqual(["never-arrived evt_30", "only-here evt_20"]);
    expect(result).toMatchObject({ listed: 2, handled: 1, neverArrived: 1, onlyHere: 1 });
    expect(seen()).toEqual(["evt_10", "evt_20"]);
  });

  it("feeds a page's events through their handlers in the order in which they happened, marked, and none in a second run", async () => {
    const { reconcile, seen, marks, proved, outcomes } = reconciling([10, 20, 30]);
    await reconcile();
    expect([proved().length, proved().includes(true)]).toEqual([18, false]);
    expect([seen(), marks()]).toEqual([
      ["evt_30", "evt_20", "evt_10"],
      [true, true, true],
    ]);
    expect(outcomes[0]).toMatchObject({ kind: "unrouted", reconciled: true });
    expect(await reconcile()).toMatchObject({ handled: 3, neverArrived: 0 });
    expect(seen()).toHaveLength(3);
  });

  it("feeds an event whose handler failed", async () => {
    let runs = 0;
    const { reconcile, deliver, findings, outcomes } = reconciling([10], {
      fallback: () => {
        if ((runs += 1) === 1) throw new Error("down");
      },
    });
    await deliver(10);
    await reconcile();
    expect(findings()).toEqual(["unhandled evt_10"]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["failed", "unrouted"]);
  });

  it.for(["duplicate", "conflict"] as const)(
    "counts a later delivery of a fed event with other bytes as a duplicate, with onIdReuse %s",
    async (onIdReuse) => {
      const { reconcile, seen, deliver } = reconciling([10], { onIdReuse });
      await reconcile();
      const outcome = await deliver(10, { api_version: "2020-08-27" });
      expect(outcome).toMatchObject({ kind: "duplicate", bodyDiffers: true });
      expect(seen()).toEqual(["evt_10"]);
    },
  );

  it("finishes the rest after a run that ended in its midst", async () => {
    const events = Array.from({ length: 250 }, (_, index) => minutesAgo(10 + index / 10));
    const pages = stripePages(events);
    const { reconcile, seen } = reconciling(pages);
    const cut = listOf(stripe, (asked, number) => (number < 2 ? pages(asked) : { status: 404 }));
    const first = reconcile({}, cut.list);
    await expect(first).rejects.toMatchObject({ code: "CS_LIST_REFUSED" });
    await reconcile();
    expect(seen().toSorted()).toEqual(events.map(({ id }) => id).toSorted());
  });

  it("waits between two fed events as the rate says", async () => {
    const waits: number[] = [];
    const { reconcile } = reconciling([10, 20]);
    await reconcile({ rate: 4, wait: async (ms) => void waits.push(ms) });
    expect(waits).toEqual([250, 250]);
  });

  it.each<[string, number, Partial<ReconcileOptions>]>([
    ["younger than five minutes", 4, {}],
    ["of other types than the given ones", 10, { types: ["charge.refunded"] }],
  ])("leaves out events that are %s", async (_what, number, options) => {
    const counts = await reconciling([number]).reconcile(options);
    expect(counts).toMatchObject({ listed: 0, neverArrived: 0 });
  });

  it("stores a missing event for workers, with its mark, with acknowledge after-store", async () => {
    const { receiver, reconcile, seen, marks, outcomes } = reconciling([10], {
      acknowledge: "after-store",
    });
    await reconcile();
    receiver.start();
    await expect.poll(seen).toEqual(["evt_10"]);
    await receiver.stop();
    expect(marks()).toEqual([true]);
    expect(outcomes).toMatchObject([
      { kind: "stored", reconciled: true },
      { kind: "unrouted", reconciled: true },
    ]);
  });

  it("reports dead events, and does not feed them", async () => {
    const { receiver, reconcile, deliver, findings, outcomes } = reconciling([10], {
      acknowledge: "after-store",
      workers: { maxAttempts: 1 },
      fallback: () => Promise.reject(new Error("always")),
    });
    await deliver(10);
    receiver.start();
    await expect.poll(() => receiver.dead()).toHaveLength(1);
    await receiver.stop();
    await reconcile();
    expect(findings()).toEqual(["dead evt_10"]);
    expect(outcomes).toHaveLength(2);
  });

  it.each<[string, Partial<ReceiverOptions<unknown>>, Partial<ReconcileOptions>]>([
    ["an inbox that forgets with its process", { inbox: memoryInbox() }, {}],
    ["a time before the inbox's retention", {}, { since: NOON - 31 * 24 * HOUR }],
  ])("refuses %s", async (_what, options, more) => {
    const run = reconciling([], options).reconcile(more);
    await expect(run).rejects.toMatchObject({ code: "CS_OPTION_CONFLICT" });
  });
});

it("reconciliation with GitHub's deliveries knows one by its unsigned id and type, counts its attempts once, and leaves out pings", async () => {
  const { receiver } = receiverOf(github, { inbox: sqliteInTest() });
  const headers = { "X-GitHub-Event": "pull_request", "X-GitHub-Delivery": "g-1" };
  await receiver.receive(attemptOf(github, { action: "opened" }, { headers }));
  const delivered = { delivered_at: new Date(NOON).toISOString(), action: null };
  const opened = { ...delivered, guid: "g-1", event: "pull_request", action: "opened" };
  const body = JSON.stringify([
    { ...opened, id: 2 },
    { ...opened, id: 1 },
    { ...delivered, guid: "g-ping", id: 3, event: "ping" },
    { ...delivered, guid: "g-missing", id: 4, event: "push" },
  ]).replace('"id":4', '"id":9007199254740993');
  const url = "https://api.github.com/repos/o/r/hooks/1/deliveries";
  const { list } = listOf(github, () => ({ body }), { url });
  const findings: Finding[] = [];
  const onFinding = (finding: Finding) => findings.push(finding);
  const counts = await receiver.reconcile(list, { since: NOON - HOUR, until: NOON, onFinding });
  expect(counts).toMatchObject({ listed: 2, handled: 1, neverArrived: 1, onlyHere: 0 });
  const missing = { key: { id: "g-missing push" }, redeliverId: "9007199254740993" };
  expect(findings).toMatchObject([missing]);
});
