import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countOutcomes, createReceiver, OUTCOME_CHANNEL } from "@countersign/receiver";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { publishOutcome } from "../src/pipeline/observe.ts";
import { attemptOf, NOON, recordingReceiver, refundAuthorized, secret } from "./fixtures.ts";

describe("the channel countersign:receiver:outcome", () => {
  let reports: unknown[] = [];
  const listen = (report: unknown): void => void reports.push(report);
  beforeEach(() => {
    reports = [];
    subscribe("countersign:receiver:outcome", listen);
  });
  afterEach(() => void unsubscribe("countersign:receiver:outcome", listen));

  it("has the name that is exported", () => {
    expect(OUTCOME_CHANNEL).toBe("countersign:receiver:outcome");
  });

  it("tells each outcome with the verified event and the duration, and nothing else", async () => {
    const { receiver } = recordingReceiver({
      secrets: () => ({ tenant: "shop-7", secrets: [secret] }),
    });
    await receiver.receive(attemptOf(refundAuthorized()));
    await receiver.answer(attemptOf(refundAuthorized()));

    const event = { tenant: "shop-7", id: "evt_refund1", type: "refund.authorized" };
    expect(reports).toEqual([
      { kind: "handled", ...event, durationMs: expect.any(Number) as number, secretIndex: 0 },
      {
        kind: "duplicate",
        ...event,
        durationMs: expect.any(Number) as number,
        secretIndex: 0,
        status: 204,
      },
    ]);
  });

  it("tells the code of a rejection, and no event that is not verified", async () => {
    const { receiver } = recordingReceiver();
    await receiver.receive(attemptOf(refundAuthorized(), { now: NOON - 301_000 }));
    expect(reports).toEqual([
      {
        kind: "rejected",
        code: "CS_SIGNATURE_TIMESTAMP_TOO_OLD",
        durationMs: expect.any(Number) as number,
      },
    ]);
  });

  it("[R-LEAK-NOTHING] tells neither what a handler threw nor anything of body, headers or secret", async () => {
    const { receiver } = recordingReceiver();
    receiver.on("refund.authorized", () => Promise.reject(new Error("password=hunter2")));
    const attempt = attemptOf(refundAuthorized());
    attempt.headers["authorization"] = "canary-header";
    await receiver.receive(attempt);
    await receiver.receive(attemptOf({ ...refundAuthorized("evt_2"), data: { canary: "body" } }));

    expect(reports).toEqual([
      {
        kind: "failed",
        code: "CS_HANDLER_FAILED",
        tenant: "",
        id: "evt_refund1",
        type: "refund.authorized",
        durationMs: expect.any(Number) as number,
        secretIndex: 0,
      },
      {
        kind: "rejected",
        code: "CS_EVENT_SCHEMA",
        tenant: "",
        id: "evt_2",
        type: "refund.authorized",
        durationMs: expect.any(Number) as number,
        secretIndex: 0,
      },
    ]);
    expect(JSON.stringify(reports)).not.toMatch(/hunter2|canary|order-7|whsec_|MfKQ9r8/);
  });

  it("tells a stored event twice: when it is stored, and when a worker has handled it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-watch-"));
    const inbox = sqliteInbox(join(folder, "inbox.db"));
    const { onOutcome, counters } = countOutcomes();
    const settled = Promise.withResolvers<undefined>();
    const receiver = createReceiver({
      secrets: [secret],
      fallback: () => undefined,
      inbox,
      acknowledge: "after-store",
      now: () => NOON,
      onOutcome: (outcome, facts) => {
        onOutcome(outcome, facts);
        if (facts.worker !== undefined) settled.resolve(undefined);
      },
    }).on("refund.authorized", () => undefined);
    try {
      await receiver.receive(attemptOf(refundAuthorized()));
      receiver.start();
      await settled.promise;
      await receiver.stop();

      const event = { tenant: "", id: "evt_refund1", type: "refund.authorized" };
      expect(reports).toMatchObject([
        { kind: "stored", ...event },
        { kind: "handled", ...event, attempts: 1, dead: false },
      ]);
      expect(counters()).toMatchObject({ stored: 1, handled: 1, dead: 0 });
    } finally {
      inbox.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("tells how often a worker ran a stored event, and whether it is given up", () => {
    const outcome = { kind: "handled", key: { tenant: "", id: "evt_1" }, type: "t" } as const;
    publishOutcome(outcome, { durationMs: 1, worker: { attempts: 3, dead: false } });
    expect(reports).toEqual([
      {
        kind: "handled",
        tenant: "",
        id: "evt_1",
        type: "t",
        durationMs: 1,
        attempts: 3,
        dead: false,
      },
    ]);
  });

  it("tells each subscriber the duration that onOutcome gets", async () => {
    const durations: number[] = [];
    const { receiver } = recordingReceiver({
      onOutcome: (_outcome, { durationMs }) => void durations.push(durationMs),
    });
    await receiver.receive(attemptOf(refundAuthorized()));
    expect(reports).toMatchObject([{ durationMs: durations[0] }]);
  });
});

describe("countOutcomes", () => {
  it("counts by kind, and failures and rejections by code", async () => {
    const { onOutcome, counters } = countOutcomes();
    const { receiver } = recordingReceiver({ onOutcome });
    receiver.on("refund.failed", () => Promise.reject(new Error("no")));
    const failed = {
      ...refundAuthorized("evt_3"),
      type: "refund.failed",
      data: {
        paymentId: "ref_1",
        paymentStatus: "TERMINAL_FAILED",
        clientReferenceId: null,
        errorDetails: { errorCode: "CUSTOMER_NOT_DEBITED", errorMessage: "no" },
      },
    };
    await receiver.receive(attemptOf(refundAuthorized()));
    await receiver.receive(attemptOf(refundAuthorized()));
    await receiver.receive(attemptOf({ ...refundAuthorized("evt_2"), type: "report.ready" }));
    await receiver.receive(attemptOf(failed));
    await receiver.receive(attemptOf(failed));
    await receiver.receive(attemptOf(refundAuthorized(), { now: NOON + 301_000 }));

    expect(counters()).toEqual({
      handled: 1,
      unrouted: 1,
      duplicate: 1,
      superseded: 0,
      stored: 0,
      in_progress: 0,
      failed: { CS_HANDLER_FAILED: 2 },
      rejected: { CS_SIGNATURE_TIMESTAMP_TOO_NEW: 1 },
      dead: 0,
    });
  });

  it("counts what workers give up", () => {
    const { onOutcome, counters } = countOutcomes();
    const failed = {
      kind: "failed",
      code: "CS_HANDLER_FAILED",
      retryAfterSeconds: 5,
      error: undefined,
    } as const;
    onOutcome(failed, { worker: { dead: false } });
    onOutcome(failed, { worker: { dead: true } });
    expect(counters()).toMatchObject({ failed: { CS_HANDLER_FAILED: 2 }, dead: 1 });
  });

  it("gives an object that later outcomes do not change", () => {
    const { onOutcome, counters } = countOutcomes();
    const before = counters();
    onOutcome({ kind: "rejected", code: "CS_RECEIVER_BUSY" });
    onOutcome({ kind: "handled", key: { tenant: "", id: "evt_1" }, type: "refund.failed" });
    expect(before).toMatchObject({ handled: 0, rejected: {} });
    expect(counters()).toMatchObject({ handled: 1, rejected: { CS_RECEIVER_BUSY: 1 } });
  });
});
