import { outcomeMetrics } from "@countersign/receiver/otel";
import { describe, expect, it } from "vitest";
import { attemptOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { metering } from "./telemetry.ts";

describe("outcomeMetrics", () => {
  it("measures what onOutcome sees, in seconds", async () => {
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

  it("makes no series of an id, a tenant, or a type that it does not know", async () => {
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

  it("tells a worker's run from an attempt, and whether it was the last", async () => {
    const { meter, points } = metering();
    const record = outcomeMetrics({ meter });
    const event = { key: { tenant: "", id: "evt_1" }, type: "refund.failed" };
    record({ kind: "stored", ...event }, { durationMs: 1 });
    record({ kind: "handled", ...event }, { durationMs: 1, worker: { dead: false } });
    record(
      { kind: "failed", code: "CS_HANDLER_FAILED", retryAfterSeconds: 5, event, error: undefined },
      { durationMs: 1, worker: { dead: true } },
    );
    const counted = (await points()).filter(({ unit }) => unit === "{outcome}");
    expect(
      counted.map(({ attributes }) => [
        attributes["countersign.outcome"],
        attributes["countersign.worker.dead"],
      ]),
    ).toEqual([
      ["stored", undefined],
      ["handled", false],
      ["failed", true],
    ]);
  });

  it("knows the types that it is given", async () => {
    const { meter, points } = metering();
    const { receiver } = recordingReceiver({
      onOutcome: outcomeMetrics({ meter, types: ["report.ready"] }),
    });
    await receiver.receive(attemptOf({ ...refundAuthorized(), type: "report.ready" }));
    expect((await points())[1]?.attributes["countersign.event.type"]).toBe("report.ready");
  });
});
