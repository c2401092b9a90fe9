import { describe, expect, it } from "vitest";
import { pairOutcomes, type ReportedOutcome } from "../src/inspector/outcomes.ts";

const START = 1_795_000_000_000;
const attempt = (deliveryId: string, number: number, second: number, status: number | null) => ({
  deliveryId,
  number,
  status,
  durationMs: 5,
  isUnseen: false,
  startedAt: START + second * 1000,
});
const report = (
  outcome: string,
  second: number,
  eventId: string | null = "evt_1",
): ReportedOutcome => ({
  eventId,
  outcome,
  code: null,
  message: null,
  explanation: [],
  durationMs: 1,
  at: new Date(START + second * 1000).toISOString(),
});
const paired = (
  attempts: Parameters<typeof pairOutcomes>[1],
  reports: readonly ReportedOutcome[],
) => {
  const pairs = pairOutcomes("evt_1", attempts, reports);
  return attempts.map((one) => pairs.get(one)?.outcome);
};

describe("the attempts of an event", () => {
  it("are paired with the report that arrived before the next attempt", () => {
    const attempts = [
      attempt("dlv_1", 1, 0, 503),
      attempt("dlv_1", 2, 10, 503),
      attempt("dlv_1", 3, 20, 204),
    ];
    const reports = [
      report("failed", 0.01),
      report("failed", 5, "evt_2"),
      report("handled", 20.01),
    ];
    expect(paired(attempts, reports)).toEqual(["failed", undefined, "handled"]);
  });

  it("of two endpoints do not share a report, and get one that fits their status", () => {
    const attempts = [attempt("dlv_1", 1, 0, 500), attempt("dlv_2", 1, 0, 204)];
    expect(paired(attempts, [report("handled", 0.01)])).toEqual([undefined, "handled"]);
    const both = [attempt("dlv_1", 1, 0, 204), attempt("dlv_2", 1, 0, 204)];
    expect(paired(both, [report("handled", 0.01)])).toEqual(["handled", undefined]);
  });

  it("that a fault kept from the receiver have no report", () => {
    const unseen = { ...attempt("dlv_1", 1, 0, 500), isUnseen: true };
    const attempts = [unseen, attempt("dlv_1", 2, 0.02, 503)];
    expect(paired(attempts, [report("failed", 0.03)])).toEqual([undefined, "failed"]);
  });

  it("take a refusal without the event's id only within a second", () => {
    const attempts = [attempt("dlv_1", 1, 0, 401)];
    expect(paired(attempts, [report("rejected", 0.5, null)])).toEqual(["rejected"]);
    expect(paired(attempts, [report("rejected", 5, null)])).toEqual([undefined]);
  });
});
