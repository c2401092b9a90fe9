import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Backoff,
  createReceiver,
  defaultRespond,
  type Outcome,
  type OutcomeFacts,
  type Receiver,
  type WorkerOptions,
} from "@countersign/receiver";
import { type SqliteInbox, sqliteInbox } from "@countersign/receiver/sqlite";
import type { EventTypeMap } from "@countersign/schemas";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { attemptOf, NOON, refundAuthorized, secret } from "./fixtures.ts";

let folder: string;
let inbox: SqliteInbox;
let clock: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-after-store-"));
  inbox = sqliteInbox(join(folder, "inbox.db"));
  clock = NOON;
});
afterEach(() => {
  inbox.close();
  rmSync(folder, { recursive: true, force: true });
});

type Handled = (id: string) => void | Promise<void>;

/** A receiver that stores, with what its workers told. */
function storing(
  handler: Handled,
  workers: WorkerOptions = {},
  order: "none" | "per-resource" = "none",
): {
  receiver: Receiver<EventTypeMap, SqliteInbox>;
  worked: () => Promise<readonly [Outcome, OutcomeFacts]>;
} {
  const told: [Outcome, OutcomeFacts][] = [];
  let wake = (): void => undefined;
  const backoff: Backoff = () => 1000;
  const receiver = createReceiver({
    secrets: [secret],
    fallback: () => undefined,
    inbox,
    acknowledge: "after-store",
    order,
    workers: { backoff, pollMs: 60_000, ...workers },
    now: () => clock,
    onOutcome: (outcome, facts) => {
      if (facts.worker === undefined) return;
      told.push([outcome, facts]);
      wake();
    },
  }).on("refund.authorized", (event) => handler(event.id));
  const worked = async (): Promise<readonly [Outcome, OutcomeFacts]> => {
    while (told.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    const [first] = told.splice(0, 1);
    if (first === undefined) throw new Error("nothing was told");
    return first;
  };
  return { receiver, worked };
}

describe("[R-ACK-STORED] an event that is acknowledged once it is stored", () => {
  it("is answered 202 before its handler runs, and handled by a worker", async () => {
    const handled: string[] = [];
    const { receiver, worked } = storing((id) => void handled.push(id));
    receiver.start();
    const outcome = await receiver.receive(attemptOf(refundAuthorized()));

    expect(outcome.kind).toBe("stored");
    expect(defaultRespond(outcome).status).toBe(202);
    const [done, { worker }] = await worked();
    expect(done.kind).toBe("handled");
    expect(worker).toEqual({ attempts: 1, dead: false });
    expect(handled).toEqual(["evt_refund1"]);
    await receiver.stop();
  });

  it("[R-NEVER-LOST] is handled by another receiver over the same inbox, after its own process has ended", async () => {
    const first = storing(() => undefined);
    await first.receiver.receive(attemptOf(refundAuthorized()));
    await first.receiver.stop();
    inbox.close();
    inbox = sqliteInbox(join(folder, "inbox.db"));

    const second = storing(() => undefined);
    second.receiver.start();
    expect((await second.worked())[0]).toMatchObject({
      kind: "handled",
      type: "refund.authorized",
    });
    await second.receiver.stop();
  });

  it("[R-ONCE-DUPLICATE] is 202 again while it waits, and a duplicate once it is handled", async () => {
    const { receiver, worked } = storing(() => undefined);
    const kind = async (): Promise<string> =>
      (await receiver.receive(attemptOf(refundAuthorized()))).kind;
    expect([await kind(), await kind()]).toEqual(["stored", "stored"]);
    receiver.start();
    await worked();
    expect(await kind()).toBe("duplicate");
    await receiver.stop();
  });

  it("[R-ONCE-REUSED] is answered 409 when another body arrives under its id", async () => {
    const { receiver } = storing(() => undefined);
    await receiver.receive(attemptOf(refundAuthorized()));
    const other = { ...refundAuthorized(), timestamp: "2026-11-24T06:00:00.000Z" };
    expect(await receiver.receive(attemptOf(other))).toMatchObject({
      kind: "rejected",
      code: "CS_EVENT_ID_REUSED",
    });
  });

  it("[R-DEAD-VISIBLE] waits after a failure, is dead after the last attempt, and comes back by retry", async () => {
    let fails = true;
    const { receiver, worked } = storing(
      () => {
        if (fails) throw new Error("the ledger is away");
      },
      { maxAttempts: 2, pollMs: 5 },
    );
    receiver.start();
    await receiver.receive(attemptOf(refundAuthorized()));
    const [failed, first] = await worked();
    expect(failed).toMatchObject({ code: "CS_HANDLER_FAILED", retryAfterSeconds: 1 });
    expect(first.worker).toEqual({ attempts: 1, dead: false });
    expect(await receiver.dead()).toEqual([]);

    clock += 1000;
    expect((await worked())[1].worker).toEqual({ attempts: 2, dead: true });
    const dead = await receiver.dead();
    expect(dead).toMatchObject([{ key: { id: "evt_refund1" }, attempts: 2, diedAt: clock }]);
    expect(dead[0]?.reason).toBe("CS_HANDLER_FAILED: the ledger is away");

    fails = false;
    expect(await receiver.retry("evt_unknown")).toBe(false);
    expect(await receiver.retry("evt_refund1")).toBe(true);
    expect((await worked())[0].kind).toBe("handled");
    expect(await receiver.dead()).toEqual([]);
    await receiver.stop();
  });

  it("is handled at once after receiver.retry, without a poll", async () => {
    let fails = true;
    const { receiver, worked } = storing(
      () => {
        if (fails) throw new Error("no");
      },
      { maxAttempts: 1 },
    );
    receiver.start();
    await receiver.receive(attemptOf(refundAuthorized()));
    expect((await worked())[1].worker).toEqual({ attempts: 1, dead: true });
    fails = false;
    await new Promise((resolve) => setImmediate(resolve));
    expect(await receiver.retry("evt_refund1")).toBe(true);
    expect((await worked())[0].kind).toBe("handled");
    await receiver.stop();
  });

  it("is one of at most `concurrency` running at once, and with order per-resource the only one of its resource", async () => {
    const running = new Set<string>();
    const most: number[] = [];
    const gates: (() => void)[] = [];
    const { receiver, worked } = storing(
      async (id) => {
        running.add(id);
        most.push(running.size);
        await new Promise<void>((resolve) => gates.push(resolve));
        running.delete(id);
      },
      { concurrency: 2 },
      "per-resource",
    );
    const of = (id: string, paymentId: string) => {
      const event = refundAuthorized(id);
      return attemptOf({ ...event, data: { ...event.data, paymentId } });
    };
    for (const [id, payment] of [
      ["a1", "a"],
      ["a2", "a"],
      ["b1", "b"],
      ["c1", "c"],
    ] as const)
      await receiver.receive(of(id, payment));
    receiver.start();
    const ended: string[] = [];
    while (ended.length < 4) {
      await vi.waitUntil(() => gates.length > 0);
      expect(["a1", "a2"].every((id) => running.has(id))).toBe(false);
      gates.shift()?.();
      const [outcome] = await worked();
      if ("key" in outcome) ended.push(outcome.key.id);
    }
    expect(Math.max(...most)).toBe(2);
    expect(ended.toSorted()).toEqual(["a1", "a2", "b1", "c1"]);
    expect(ended.indexOf("a1")).toBeLessThan(ended.indexOf("a2"));
    await receiver.stop();
  });

  it("is finished when its receiver stops, and no further one is taken", async () => {
    let letGo = (): void => undefined;
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    const begun: string[] = [];
    const { receiver } = storing(
      (id) => {
        begun.push(id);
        return gate;
      },
      { concurrency: 1 },
    );
    for (const id of ["evt_1", "evt_2"]) await receiver.receive(attemptOf(refundAuthorized(id)));
    receiver.start();
    await vi.waitUntil(() => begun.length === 1);
    let stopped = false;
    const stop = receiver.stop().then(() => (stopped = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(stopped).toBe(false);

    letGo();
    await stop;

    expect(begun).toHaveLength(1);
    expect((await receiver.receive(attemptOf(refundAuthorized(begun[0])))).kind).toBe("duplicate");
  });

  it("is taken without a poll when it is stored while the worker looks", async () => {
    const { receiver, worked } = storing(() => Promise.resolve(), { maxAttempts: 1 });
    receiver.start();
    const ids = Array.from({ length: 30 }, (_, index) => `evt_${String(index)}`);
    for (const id of ids) await receiver.receive(attemptOf(refundAuthorized(id)));
    for (const _ of ids) expect((await worked())[0].kind).toBe("handled");
    await receiver.stop();
  });

  it("leaves no timer behind when its receiver stops during a take", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      let taken = (): void => undefined;
      const { receiver } = storing(() => undefined);
      const take = vi.spyOn(inbox.queue, "take");
      take.mockImplementation(() => new Promise((resolve) => (taken = () => resolve([]))));
      receiver.start();
      while (take.mock.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
      const stopped = receiver.stop();
      taken();
      await stopped;
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("warns once if no worker of the process was started", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    try {
      const { receiver } = storing(() => undefined);
      await receiver.receive(attemptOf(refundAuthorized("evt_1")));
      await receiver.receive(attemptOf(refundAuthorized("evt_2")));
      expect(warn.mock.calls).toEqual([
        [expect.stringContaining("receiver.start()"), { code: "CS_WORKER_NOT_STARTED" }],
      ]);
    } finally {
      warn.mockRestore();
    }
  });

  it("is reported by a warning each minute from two leases after it was due, until it is handled", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const lines: string[] = [];
    const log = { warn: (text: string) => void lines.push(text), error: () => undefined };
    const receiver = createReceiver({
      secrets: [secret],
      fallback: () => undefined,
      inbox,
      acknowledge: "after-store",
      now: () => clock,
      log,
    });
    vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const strangerArrives = async (ms: number): Promise<number> => {
      clock += ms;
      vi.advanceTimersByTime(ms);
      lines.length = 0;
      await receiver.receive({ headers: {}, body: new Uint8Array() });
      await inbox.queue.status({ dueBefore: 0 });
      return lines.filter((line) => line.includes("CS_EVENTS_OVERDUE")).length;
    };
    await receiver.receive(attemptOf(refundAuthorized()));

    expect(await strangerArrives(120_000)).toBe(0);
    expect(await strangerArrives(60_000)).toBe(1);
    expect(lines.join()).toContain("refund.authorized evt_refund1, was stored 3 min ago");
    expect(await strangerArrives(59_999)).toBe(0);
    expect(await strangerArrives(1)).toBe(1);
    const [taken] = await inbox.queue.take({ limit: 1, leaseMs: 1, now: clock, maxAttempts: 1 });
    await inbox.complete({
      key: { tenant: "", id: "evt_refund1" },
      token: taken?.token ?? 0,
      now: clock,
    });
    expect(await strangerArrives(60_000)).toBe(0);
    vi.restoreAllMocks();
  });

  it("is answered 503 when the inbox is unavailable", async () => {
    const { receiver } = storing(() => undefined);
    inbox.close();
    expect(await receiver.receive(attemptOf(refundAuthorized()))).toMatchObject({
      kind: "failed",
      code: "CS_INBOX_UNAVAILABLE",
    });
  });
});

describe("a receiver that acknowledges after its handlers", () => {
  const receiver = createReceiver({ secrets: [secret], fallback: () => undefined });

  it("has no workers to start, and stops at once", async () => {
    expect(() => receiver.start()).toThrow(TypeError);
    await expect(receiver.stop()).resolves.toBeUndefined();
  });
});
