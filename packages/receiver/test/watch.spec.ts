import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { countOutcomes, OUTCOME_CHANNEL } from "@countersign/receiver";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  attemptOf,
  genuine,
  NOON,
  recordingReceiver,
  refundAuthorized,
  secret,
} from "./fixtures.ts";
import { sqliteInTest } from "./inboxes/in-test.ts";

const event = { tenant: "", id: "evt_refund1", type: "refund.authorized" };
const stale = attemptOf(refundAuthorized(), { now: NOON - 301_000 });
const code = "CS_SIGNATURE_TIMESTAMP_TOO_OLD";

/** Collects what the channel publishes until the test ends. */
function collectReports(): unknown[] {
  const reports: unknown[] = [];
  const listen = (report: unknown): void => void reports.push(report);
  subscribe("countersign:receiver:outcome", listen);
  onTestFinished(() => void unsubscribe("countersign:receiver:outcome", listen));
  return reports;
}

describe("the channel countersign:receiver:outcome", () => {
  it("publishes each outcome with the duration that onOutcome gets, and the event only if it is verified", async () => {
    const reports = collectReports();
    const durations: number[] = [];
    const { receiver } = recordingReceiver({
      secrets: () => ({ tenant: "shop-7", secrets: [secret] }),
      onOutcome: (_outcome, facts) => void durations.push(facts.durationMs),
    });
    await receiver.receive(genuine);
    await receiver.answer(genuine);
    await receiver.receive(stale);
    const verified = { ...event, tenant: "shop-7", secretIndex: 0 };
    expect(reports).toStrictEqual([
      { kind: "handled", ...verified, durationMs: durations[0] },
      { kind: "duplicate", ...verified, durationMs: durations[1], status: 204 },
      { kind: "rejected", code, durationMs: durations[2] },
    ]);
    expect(durations.every((ms) => ms >= 0)).toBe(true);
    expect(OUTCOME_CHANNEL).toBe("countersign:receiver:outcome");
  });

  it("publishes a stored event twice: when it is stored and when a worker has handled it", async () => {
    const reports = collectReports();
    const { onOutcome, counters } = countOutcomes();
    const settled = Promise.withResolvers<void>();
    const { receiver } = recordingReceiver({
      inbox: sqliteInTest(),
      acknowledge: "after-store",
      onOutcome: (outcome, facts) => {
        onOutcome(outcome, facts);
        if (facts.worker !== undefined) settled.resolve();
      },
    });
    receiver.start();
    await receiver.receive(genuine);
    await settled.promise;
    await receiver.stop();
    expect(reports).toMatchObject([
      { kind: "stored", ...event },
      { kind: "handled", ...event, attempts: 1, dead: false },
    ]);
    expect(counters()).toMatchObject({ stored: 1, handled: 1, dead: 0 });
  });
});

it("countOutcomes counts by kind, failures and rejections by code, and events that workers give up, in objects that do not change", async () => {
  const { onOutcome, counters } = countOutcomes();
  const before = counters();
  const { receiver, send } = recordingReceiver({ onOutcome });
  receiver.on("refund.authorized", ({ id }) => {
    if (id === "evt_3") throw new Error("no");
  });
  const unknown = { ...refundAuthorized("evt_2"), type: "report.ready" };
  const failing = refundAuthorized("evt_3");
  for (const sent of [refundAuthorized(), refundAuthorized(), unknown, failing, failing])
    await send(sent);
  await receiver.receive(stale);

  const none = { superseded: 0, stored: 0, in_progress: 0, dead: 0 };
  const codes = { failed: { CS_HANDLER_FAILED: 2 }, rejected: { [code]: 1 } };
  expect(counters()).toEqual({ ...none, handled: 1, unrouted: 1, duplicate: 1, ...codes });
  const zeros = { handled: 0, unrouted: 0, duplicate: 0 };
  expect(before).toEqual({ ...none, ...zeros, failed: {}, rejected: {} });
  const failed = { kind: "failed", code: "CS_HANDLER_FAILED", retryAfterSeconds: 5 } as const;
  for (const dead of [false, true])
    onOutcome({ ...failed, error: undefined }, { worker: { dead } });
  onOutcome({ ...failed, error: undefined });
  expect(counters()).toMatchObject({ failed: { CS_HANDLER_FAILED: 5 }, dead: 1 });
});
