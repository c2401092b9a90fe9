import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countOutcomes, OUTCOME_CHANNEL } from "@countersign/receiver";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { attemptOf, NOON, recordingReceiver, refundAuthorized, secret } from "./fixtures.ts";

const genuine = attemptOf(refundAuthorized());
const event = { tenant: "", id: "evt_refund1", type: "refund.authorized" };
const durationMs: unknown = expect.any(Number);

/** Collects what the channel publishes until the test ends. */
function collectReports(): unknown[] {
  const reports: unknown[] = [];
  const listen = (report: unknown): void => void reports.push(report);
  subscribe("countersign:receiver:outcome", listen);
  onTestFinished(() => void unsubscribe("countersign:receiver:outcome", listen));
  return reports;
}

describe("the channel countersign:receiver:outcome", () => {
  it("publishes each outcome with the verified event and the duration that onOutcome gets", async () => {
    const reports = collectReports();
    const durations: number[] = [];
    const { receiver } = recordingReceiver({
      secrets: () => ({ tenant: "shop-7", secrets: [secret] }),
      onOutcome: (_outcome, facts) => void durations.push(facts.durationMs),
    });
    await receiver.receive(genuine);
    await receiver.answer(genuine);
    const verified = { ...event, tenant: "shop-7", secretIndex: 0 };
    expect(reports).toEqual([
      { kind: "handled", ...verified, durationMs: durations[0] },
      { kind: "duplicate", ...verified, durationMs: durations[1], status: 204 },
    ]);
    expect(OUTCOME_CHANNEL).toBe("countersign:receiver:outcome");
  });

  it("publishes the code of a rejection, and no event that is not verified", async () => {
    const reports = collectReports();
    const { receiver } = recordingReceiver();
    await receiver.receive(attemptOf(refundAuthorized(), { now: NOON - 301_000 }));
    const code = "CS_SIGNATURE_TIMESTAMP_TOO_OLD";
    expect(reports).toEqual([{ kind: "rejected", code, durationMs }]);
  });

  it("[R-LEAK-NOTHING] publishes neither a handler's error nor any body, header or secret", async () => {
    const reports = collectReports();
    const { receiver } = recordingReceiver();
    receiver.on("refund.authorized", () => Promise.reject(new Error("password=hunter2")));
    const headers = { ...genuine.headers, authorization: "canary-header" };
    await receiver.receive({ ...genuine, headers });
    await receiver.receive(attemptOf({ ...refundAuthorized("evt_2"), data: { canary: "body" } }));
    const facts = { ...event, durationMs, secretIndex: 0 };
    expect(reports).toEqual([
      { kind: "failed", code: "CS_HANDLER_FAILED", ...facts },
      { kind: "rejected", code: "CS_EVENT_SCHEMA", ...facts, id: "evt_2" },
    ]);
    expect(JSON.stringify(reports)).not.toMatch(/hunter2|canary|order-7|whsec_|MfKQ9r8/);
  });

  it("publishes a stored event twice: when it is stored and when a worker has handled it", async () => {
    const reports = collectReports();
    const folder = mkdtempSync(join(tmpdir(), "countersign-watch-"));
    const inbox = sqliteInbox(join(folder, "inbox.db"));
    onTestFinished(() => {
      inbox.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const { onOutcome, counters } = countOutcomes();
    const settled = Promise.withResolvers<void>();
    const { receiver } = recordingReceiver({
      inbox,
      acknowledge: "after-store",
      onOutcome: (outcome, facts) => {
        onOutcome(outcome, facts);
        if (facts.worker !== undefined) settled.resolve();
      },
    });
    await receiver.receive(genuine);
    receiver.start();
    await settled.promise;
    await receiver.stop();
    expect(reports).toMatchObject([
      { kind: "stored", ...event },
      { kind: "handled", ...event, attempts: 1, dead: false },
    ]);
    expect(counters()).toMatchObject({ stored: 1, handled: 1, dead: 0 });
  });
});

describe("countOutcomes", () => {
  it("counts by kind, failures and rejections by code, in objects that do not change", async () => {
    const { onOutcome, counters } = countOutcomes();
    const before = counters();
    const { receiver } = recordingReceiver({ onOutcome });
    receiver.on("refund.authorized", ({ id }) => {
      if (id === "evt_3") throw new Error("no");
    });
    const unknown = { ...refundAuthorized("evt_2"), type: "report.ready" };
    for (const sent of [refundAuthorized(), refundAuthorized(), unknown])
      await receiver.receive(attemptOf(sent));
    for (let tries = 0; tries < 2; tries += 1)
      await receiver.receive(attemptOf(refundAuthorized("evt_3")));
    await receiver.receive(attemptOf(refundAuthorized(), { now: NOON + 301_000 }));

    const none = { superseded: 0, stored: 0, in_progress: 0, dead: 0 };
    expect(counters()).toEqual({
      ...none,
      handled: 1,
      unrouted: 1,
      duplicate: 1,
      failed: { CS_HANDLER_FAILED: 2 },
      rejected: { CS_SIGNATURE_TIMESTAMP_TOO_NEW: 1 },
    });
    expect(before).toEqual({
      ...none,
      handled: 0,
      unrouted: 0,
      duplicate: 0,
      failed: {},
      rejected: {},
    });
  });

  it("counts events that workers give up as dead", () => {
    const { onOutcome, counters } = countOutcomes();
    const code = "CS_HANDLER_FAILED";
    const failed = { kind: "failed", code, retryAfterSeconds: 5, error: undefined } as const;
    onOutcome(failed, { worker: { dead: false } });
    onOutcome(failed, { worker: { dead: true } });
    expect(counters()).toMatchObject({ failed: { [code]: 2 }, dead: 1 });
  });
});
