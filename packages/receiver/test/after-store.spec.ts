import { EventEmitter, on } from "node:events";
import { join } from "node:path";
import { setImmediate, setTimeout as delay } from "node:timers/promises";
import {
  defaultRespond,
  type Outcome,
  type OutcomeFacts,
  type WorkerOptions,
} from "@countersign/receiver";
import { reference } from "@countersign/receiver/providers";
import { type SqliteInbox, sqliteInbox } from "@countersign/receiver/sqlite";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { attemptOf, NOON, recordingReceiver, refundAuthorized } from "./fixtures.ts";
import { sqliteInTest } from "./inboxes/in-test.ts";

let inbox: SqliteInbox;
let clock: number;
beforeEach(() => {
  inbox = sqliteInTest();
  clock = NOON;
  vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  onTestFinished(() => void vi.restoreAllMocks());
});

type Handled = (id: string) => unknown;
const FAILS = (): never => {
  throw new Error("the ledger is away");
};

/** A receiver that stores, and the reports of its workers one by one. */
function storing(
  handler: Handled = () => undefined,
  workers: WorkerOptions = {},
  options: Parameters<typeof recordingReceiver>[0] = {},
) {
  const worker = new EventEmitter();
  const reports = on(worker, "report");
  const { receiver, send } = recordingReceiver({
    inbox,
    acknowledge: "after-store",
    workers: { backoff: () => 1000, pollMs: 60_000, ...workers },
    now: () => clock,
    onOutcome: (outcome, facts) => {
      if (facts.worker !== undefined) worker.emit("report", outcome, facts.worker);
    },
    ...options,
  });
  receiver.on("refund.authorized", async (event) => {
    await handler(event.id);
  });
  onTestFinished(() => receiver.stop());
  const worked = async (): Promise<readonly [Outcome, OutcomeFacts["worker"]]> =>
    // Emitted above.
    (await reports.next()).value as [Outcome, OutcomeFacts["worker"]];
  return { receiver, send, worked };
}

describe("[R-ACK-STORED] an event that is acknowledged once it is stored", () => {
  it("is answered 202 before its handler runs, handled by a worker, and reported both times", async () => {
    const heard: unknown[] = [];
    const { receiver, send } = storing(
      (id) => heard.push(id),
      {},
      {
        onOutcome: ({ kind }, { secretIndex, worker, durationMs }) => {
          expect(durationMs).toBeGreaterThanOrEqual(0);
          heard.push({ kind, secretIndex, worker });
        },
      },
    );
    receiver.start();
    const response = { status: 202, headers: {}, body: "" };
    expect(defaultRespond(await send())).toEqual(response);
    await vi.waitUntil(() => heard.length === 3);
    expect(heard).toEqual([
      { kind: "stored", secretIndex: 0 },
      "evt_refund1",
      { kind: "handled", worker: { attempts: 1, dead: false } },
    ]);
  });

  it("[R-NEVER-LOST] is handled by another receiver over the same inbox, after its own process has ended", async () => {
    const path = join(temporaryFolder(), "inbox.db");
    inbox = sqliteInbox(path);
    const first = storing();
    await first.send();
    await first.receiver.stop();
    inbox.close();
    inbox = sqliteInbox(path);
    onTestFinished(() => inbox.close());
    const { receiver, worked } = storing();
    receiver.start();
    expect((await worked())[0]).toMatchObject({ kind: "handled", type: "refund.authorized" });
  });

  it("[R-ONCE-DUPLICATE] [R-ONCE-REUSED] is 202 again while it waits, a duplicate once it is handled, and 409 with another body under onIdReuse: conflict", async () => {
    const { receiver, send, worked } = storing(undefined, {}, { onIdReuse: "conflict" });
    expect([(await send()).kind, (await send()).kind]).toEqual(["stored", "stored"]);
    const other = { ...refundAuthorized(), timestamp: "2026-11-24T06:00:00.000Z" };
    const event = { key: { id: "evt_refund1" }, type: "refund.authorized" };
    const reused = { kind: "rejected", code: "CS_EVENT_ID_REUSED", event };
    expect(await send(other)).toMatchObject(reused);
    receiver.start();
    await worked();
    expect((await send()).kind).toBe("duplicate");
    expect(await send(other)).toMatchObject(reused);
  });

  it("[R-DEAD-VISIBLE] waits after a failure, is dead after the last attempt, and runs again after retry()", async () => {
    let handler: Handled = FAILS;
    const { receiver, send, worked } = storing((id) => handler(id), { maxAttempts: 2, pollMs: 5 });
    receiver.start();
    await send();
    const failed = { code: "CS_HANDLER_FAILED", retryAfterSeconds: 1 };
    expect(await worked()).toMatchObject([failed, { attempts: 1, dead: false }]);
    expect(await receiver.dead()).toEqual([]);

    clock += 1000;
    expect((await worked())[1]).toEqual({ attempts: 2, dead: true });
    const reason = "CS_HANDLER_FAILED: the ledger is away";
    const dead = { key: { id: "evt_refund1" }, attempts: 2, diedAt: clock, reason };
    expect(await receiver.dead()).toMatchObject([dead]);

    handler = () => undefined;
    expect(await receiver.retry("evt_unknown")).toBe(false);
    expect(await receiver.retry("evt_refund1")).toBe(true);
    expect((await worked())[0].kind).toBe("handled");
    expect(await receiver.dead()).toEqual([]);
  });

  it("is one of at most `concurrency` running at once, and with order per-resource the only one of its resource", async () => {
    const running = new Map<string, () => void>();
    const most: number[] = [];
    const { receiver, send, worked } = storing(
      (id) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        running.set(id, resolve);
        most.push(running.size);
        return promise;
      },
      { concurrency: 2 },
      { order: "per-resource" },
    );
    const ids = ["a1", "a2", "b1", "c1"];
    for (const id of ids) {
      const event = refundAuthorized(id);
      await send({ ...event, data: { ...event.data, paymentId: id.slice(0, 1) } });
    }
    receiver.start();
    const ended: string[] = [];
    while (ended.length < ids.length) {
      await vi.waitUntil(() => running.size > 0);
      expect(running.has("a1") && running.has("a2")).toBe(false);
      const [[id, letGo] = ["", FAILS]] = running;
      running.delete(id);
      letGo();
      await worked();
      ended.push(id);
    }
    expect(Math.max(...most)).toBe(2);
    expect(ended.toSorted()).toEqual(ids);
    expect(ended.indexOf("a1")).toBeLessThan(ended.indexOf("a2"));
  });

  it("is not handled in an attempt whose time the inbox has taken", async () => {
    vi.spyOn(inbox, "lastHandled").mockImplementation(() => delay(60, undefined));
    const handler = vi.fn<Handled>();
    const options = { limits: { answerMs: 20 }, order: "per-resource" } as const;
    const { receiver, send, worked } = storing(handler, {}, options);
    receiver.start();
    await send();
    const failed = { code: "CS_HANDLER_TIMEOUT", error: { message: "no time was left" } };
    expect(await worked()).toMatchObject([failed, { attempts: 1, dead: false }]);
    expect(handler).not.toHaveBeenCalled();
  });

  it("[R-DEAD-VISIBLE] waits for its backoff after its handler outlived the lease, and is dead after the last attempt", async () => {
    const options = { limits: { answerMs: 10 }, lease: 20 };
    const hangs = (): Promise<void> => new Promise(() => undefined);
    const { receiver, send, worked } = storing(hangs, { maxAttempts: 2, pollMs: 5 }, options);
    receiver.start();
    await send();
    const lost = { code: "CS_CLAIM_LOST" };
    expect(await worked()).toMatchObject([lost, { attempts: 1, dead: false }]);
    expect((await inbox.queue.status({ dueBefore: 0 })).oldest?.dueAt).toBe(NOON + 1000);
    clock += 1000;
    expect(await worked()).toMatchObject([lost, { attempts: 2, dead: true }]);
    const reason = "CS_CLAIM_LOST: the handler was still running when its lease of 20 ms ended";
    expect(await receiver.dead()).toMatchObject([{ attempts: 2, reason }]);
  });

  it("runs exclusively after its lease has ended twice", async () => {
    const gates = new Map<string, () => void>();
    const { receiver, send, worked } = storing(
      (id) => new Promise<void>((resolve) => gates.set(id, resolve)),
      { pollMs: 5 },
    );
    receiver.start();
    await send(refundAuthorized("evt_first"));
    await vi.waitUntil(() => gates.has("evt_first"));
    const take = inbox.queue.take.bind(inbox.queue);
    const exclusive = Promise.withResolvers<void>();
    vi.spyOn(inbox.queue, "take").mockImplementation(async (request) => {
      const taken = await take(request);
      if (taken.some((event) => event.exclusive)) exclusive.resolve();
      return taken;
    });
    const { body } = attemptOf(refundAuthorized("evt_suspect"));
    const key = { provider: "reference", tenant: "", id: "evt_suspect" };
    const [text, type] = [new TextDecoder().decode(body), "refund.authorized"];
    const facts = JSON.stringify({ facts: { type }, format: "json" });
    const twice = { provider: "reference", limit: 1, leaseMs: 1, maxAttempts: 10 };
    await Promise.all([
      inbox.queue.store({ key, type, digest: "d", body: text, facts, now: NOON }),
      take({ ...twice, now: NOON }),
      take({ ...twice, now: NOON + 1 }),
    ]);
    clock += 10;
    await exclusive.promise;
    await send(refundAuthorized("evt_last"));
    expect([...gates.keys()]).toEqual(["evt_first"]);

    gates.get("evt_first")?.();
    await worked();
    await vi.waitUntil(() => gates.has("evt_suspect"));
    await setImmediate();
    expect(gates.has("evt_last")).toBe(false);
    gates.get("evt_suspect")?.();
    expect((await worked())[1]).toMatchObject({ attempts: 3 });
    await vi.waitUntil(() => gates.has("evt_last"));
    gates.get("evt_last")?.();
    expect((await worked())[0].kind).toBe("handled");
  });

  it("is finished when its receiver stops, and no other one is taken", async () => {
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    const { receiver, send } = storing((id) => (begun.push(id), gate.promise), { concurrency: 1 });
    for (const id of ["evt_1", "evt_2"]) await send(refundAuthorized(id));
    receiver.start();
    await vi.waitUntil(() => begun.length === 1);
    let stopped = false;
    const stop = receiver.stop().then(() => (stopped = true));
    await setImmediate();
    expect(stopped).toBe(false);

    gate.resolve();
    await stop;

    expect(begun).toHaveLength(1);
    expect((await send(refundAuthorized(begun[0]))).kind).toBe("duplicate");
  });

  it("is taken without a poll when it is stored while the worker looks, and after receiver.retry", async () => {
    let handler: Handled = () => Promise.resolve();
    const { receiver, send, worked } = storing((id) => handler(id), { maxAttempts: 1 });
    receiver.start();
    const ids = Array.from({ length: 30 }, (_, index) => `evt_${String(index)}`);
    for (const id of ids) await send(refundAuthorized(id));
    for (const _ of ids) expect((await worked())[0].kind).toBe("handled");
    handler = FAILS;
    await send();
    await worked();
    handler = () => undefined;
    await setImmediate();
    expect(await receiver.retry("evt_refund1")).toBe(true);
    expect((await worked())[0].kind).toBe("handled");
  });

  it("[R-NEVER-LOST] is not handled by another receiver of its provider's name: start() refuses the second one until it has its own name, or the first one stops", async () => {
    const [first, second] = [storing(), storing()];
    const named = storing(undefined, {}, { provider: { ...reference, name: "reference-2" } });
    first.receiver.start();
    expect(() => first.receiver.start()).not.toThrow();
    expect(() => second.receiver.start()).toThrow(
      /^CS_OPTION_CONFLICT: receiver\.start\(\): another started .* \{ \.\.\.document, name: "reference-2" \}$/,
    );
    named.receiver.start();
    await named.send();
    expect((await named.worked())[0]).toMatchObject({ key: { provider: "reference-2" } });
    await first.receiver.stop();
    expect(() => second.receiver.start()).not.toThrow();
  });

  it("warns once if no worker of the process was started", async () => {
    const warn = vi.spyOn(process, "emitWarning");
    const { send } = storing();
    await send(refundAuthorized("evt_1"));
    await send(refundAuthorized("evt_2"));
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining("receiver.start()"), { code: "CS_WORKER_NOT_STARTED" }],
    ]);
  });

  it("is reported by a warning each minute from two leases after it was due, until it is handled", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const lines: string[] = [];
    const log = { warn: (text: string) => void lines.push(text), error: () => undefined };
    const { receiver, send } = storing(undefined, {}, { log });
    const strangerArrives = async (ms: number): Promise<number> => {
      clock += ms;
      vi.advanceTimersByTime(ms);
      lines.length = 0;
      await receiver.receive({ headers: {}, body: new Uint8Array() });
      await inbox.queue.status({ dueBefore: 0 });
      return lines.filter((line) => line.includes("CS_EVENTS_OVERDUE")).length;
    };
    await send();

    expect(await strangerArrives(120_000)).toBe(0);
    expect(await strangerArrives(60_000)).toBe(1);
    expect(lines.join()).toContain(
      "refund.authorized evt_refund1 of reference, was stored 3 min ago",
    );
    expect(await strangerArrives(59_999)).toBe(0);
    expect(await strangerArrives(1)).toBe(1);
    const request = { provider: "reference", limit: 1, leaseMs: 1, now: clock, maxAttempts: 1 };
    for (const { key, token } of await inbox.queue.take(request))
      await inbox.complete({ key, token, now: clock });
    expect(await strangerArrives(60_000)).toBe(0);
  });

  it("A27: is stored by at most 256 attempts at once; the rest waits", async () => {
    const gates: (() => void)[] = [];
    vi.spyOn(inbox.queue, "store").mockImplementation(
      () => new Promise((resolve) => gates.push(() => resolve({ state: "stored" }))),
    );
    const { send } = storing();
    const sent = Array.from({ length: 300 }, (_, at) =>
      send(refundAuthorized(`evt_${String(at)}`)),
    );
    await vi.waitUntil(() => gates.length === 256);
    await setImmediate();
    expect(gates).toHaveLength(256);
    for (const open of gates) open();
    await vi.waitUntil(() => gates.length === 300);
    for (const open of gates) open();
    expect(new Set((await Promise.all(sent)).map(({ kind }) => kind))).toEqual(new Set(["stored"]));
  });

  it("is answered 503 with CS_INBOX_UNAVAILABLE if it waits longer than answerMs to be stored", async () => {
    vi.spyOn(inbox.queue, "store").mockImplementation(() => new Promise(() => undefined));
    const { send } = storing(undefined, {}, { limits: { answerMs: 20 } });
    const stalled = Array.from({ length: 257 }, (_, at) =>
      send(refundAuthorized(`evt_${String(at)}`)),
    );
    const code = "CS_INBOX_UNAVAILABLE";
    expect(await stalled.at(-1)).toMatchObject({ code, event: { key: { id: "evt_256" } } });
    expect(await stalled[0]).toMatchObject({ code });
  });

  it("is answered in_progress while another attempt stores it", async () => {
    vi.spyOn(inbox.queue, "store").mockResolvedValue({ state: "busy", until: NOON + 9000 });
    const event = { key: { id: "evt_refund1" }, type: "refund.authorized" };
    expect(await storing().send()).toEqual(
      expect.objectContaining({ kind: "in_progress", retryAfterSeconds: 9, type: event.type }),
    );
  });

  it("is answered 503 when the inbox is unavailable", async () => {
    const { send } = storing();
    inbox.close();
    expect(await send()).toMatchObject({ kind: "failed", code: "CS_INBOX_UNAVAILABLE" });
  });
});

it("a receiver that acknowledges after its handlers has no workers to start, and stops at once", async () => {
  const { receiver } = recordingReceiver();
  expect(() => receiver.start()).toThrow(TypeError);
  await expect(receiver.stop()).resolves.toBeUndefined();
});
