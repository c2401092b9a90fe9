import { countOutcomes } from "@countersign/receiver";
import { expect, it } from "vitest";
import { attemptOf, genuine, NOON, recordingReceiver, refundAuthorized } from "./fixtures.ts";
import { sqliteInTest } from "./inboxes/in-test.ts";

const stale = attemptOf(refundAuthorized(), { now: NOON - 301_000 });
const code = "CS_SIGNATURE_TIMESTAMP_TOO_OLD";

it("onOutcome gets a stored event twice: when it is stored and when a worker has handled it", async () => {
  const heard: unknown[] = [];
  const settled = Promise.withResolvers<void>();
  const { receiver } = recordingReceiver({
    inbox: sqliteInTest(),
    acknowledge: "after-store",
    onOutcome: ({ kind }, { secretIndex, worker, durationMs }) => {
      expect(durationMs).toBeGreaterThanOrEqual(0);
      heard.push({ kind, secretIndex, worker });
      if (worker !== undefined) settled.resolve();
    },
  });
  receiver.start();
  await receiver.receive(genuine);
  await settled.promise;
  await receiver.stop();
  expect(heard).toEqual([
    { kind: "stored", secretIndex: 0 },
    { kind: "handled", worker: { attempts: 1, dead: false } },
  ]);
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

  const more = { ignored: 0, handshake: 0, batch: 0, sameBytes: 0, schemaErrors: 0 };
  const none = { ...more, superseded: 0, stored: 0, in_progress: 0, dead: 0 };
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
