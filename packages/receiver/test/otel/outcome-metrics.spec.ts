import { memoryInbox } from "@countersign/receiver";
import { inboxMetrics, outcomeMetrics } from "@countersign/receiver/otel";
import { describe, expect, it } from "vitest";
import { attemptOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { metering } from "./telemetry.ts";

describe("outcomeMetrics", () => {
  it("measures the outcome and its duration in seconds", async () => {
    const { meter, points } = metering();
    outcomeMetrics({ meter })(
      { kind: "duplicate", key: { tenant: "", id: "evt_1" }, type: "refund.failed" },
      { durationMs: 250 },
    );
    const [duration, outcomes] = await points();
    expect(duration).toMatchObject({ unit: "s", value: { count: 1, sum: 0.25 } });
    expect(outcomes?.attributes).toMatchObject({
      "messaging.destination.name": "webhooks",
      "countersign.outcome": "duplicate",
      "countersign.event.type": "refund.failed",
    });
  });

  it("makes no series of an id, a tenant or an unknown type", async () => {
    const { meter, points } = metering();
    const { receiver } = recordingReceiver({ onOutcome: outcomeMetrics({ meter }) });
    for (const [index, type] of ["report.ready", "constructor", "report.late"].entries())
      await receiver.receive(attemptOf({ ...refundAuthorized(`evt_${String(index)}`), type }));

    const counted = (await points()).filter(({ unit }) => unit === "{outcome}");
    expect(counted).toMatchObject([
      { attributes: { "countersign.event.type": "_OTHER" }, value: 3 },
    ]);
    expect(JSON.stringify(counted)).not.toContain("evt_");
  });

  it("marks a worker's run and says if it was the last", async () => {
    const { meter, points } = metering();
    const record = outcomeMetrics({ meter });
    const event = { key: { tenant: "", id: "evt_1" }, type: "refund.failed" };
    const code = "CS_HANDLER_FAILED";
    record({ kind: "stored", ...event }, { durationMs: 1 });
    record({ kind: "handled", ...event }, { durationMs: 1, worker: { dead: false } });
    record(
      { kind: "failed", code, retryAfterSeconds: 5, event, error: undefined },
      { durationMs: 1, worker: { dead: true } },
    );
    const counted = (await points()).filter(({ unit }) => unit === "{outcome}");
    const names = ["countersign.outcome", "countersign.worker.dead"];
    expect(counted.map(({ attributes }) => names.map((name) => attributes[name]))).toEqual([
      ["stored", undefined],
      ["handled", false],
      ["failed", true],
    ]);
  });

  it("names the types that it is given", async () => {
    const { meter, points } = metering();
    const onOutcome = outcomeMetrics({ meter, types: ["report.ready"] });
    const { receiver } = recordingReceiver({ onOutcome });
    await receiver.receive(attemptOf({ ...refundAuthorized(), type: "report.ready" }));
    expect((await points())[1]?.attributes["countersign.event.type"]).toBe("report.ready");
  });
});

describe("inboxMetrics", () => {
  it("measures unhandled and overdue events and the age of the oldest", async () => {
    const { meter, points } = metering();
    const requests: number[] = [];
    const oldest = { key: { tenant: "", id: "evt_1" }, type: "t", attempts: 1 };
    const queue = {
      status: ({ dueBefore }: { readonly dueBefore: number }) => {
        requests.push(dueBefore);
        const times = { storedAt: 1_000_000 - 90_000, dueAt: 0 };
        return Promise.resolve({ unhandled: 3, overdue: 2, oldest: { ...oldest, ...times } });
      },
    };
    // The part of an inbox that the metrics use.
    const inbox = { queue } as unknown as Parameters<typeof inboxMetrics>[0]["inbox"];
    inboxMetrics({ meter, inbox, now: () => 1_000_000 });
    expect(await points()).toMatchObject([
      { name: "countersign.inbox.unhandled", value: 3 },
      { name: "countersign.inbox.overdue", value: 2 },
      { name: "countersign.inbox.oldest_age", unit: "s", value: 90 },
    ]);
    expect(new Set(requests)).toEqual(new Set([880_000]));
  });

  it("rejects an inbox that keeps no events", () => {
    expect(() => inboxMetrics({ meter: metering().meter, inbox: memoryInbox() })).toThrow(
      TypeError,
    );
  });
});
