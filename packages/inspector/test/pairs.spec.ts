import { describe, expect, it } from "vitest";
import { layOut } from "../src/parts/lay-out-states.ts";
import { pairs } from "../src/receiver/pairs.ts";

const at = (second: number): string => new Date(1_795_000_000_000 + second * 1000).toISOString();
const ended = { durationMs: 5, status: 503, error: null, answer: null, headers: null };
const attempt = (number: number, second: number) => ({ number, startedAt: at(second), ...ended });
const outcome = (name: string, second: number, eventId: string | null = "evt_1") => {
  return { eventId, outcome: name, code: null, durationMs: 1, at: at(second) };
};

describe("the attempts of an event", () => {
  it("are paired with the outcome that the receiver reported before the next attempt", () => {
    const delivery = {
      deliveryId: "dlv_1",
      eventId: "evt_1",
      subscriptionKey: "sub_1",
      state: "delivered" as const,
      nextAttemptAt: null,
      url: null,
      createdAt: at(0),
      type: "refund.pending",
      attempts: [attempt(1, 0), attempt(2, 10), attempt(3, 20)],
    };
    const told = [
      outcome("handled", 20.01),
      outcome("failed", 0.01),
      outcome("x", 5, "evt_2"),
      outcome("y", 5, null),
    ];
    const rows = pairs([delivery], told);
    expect(rows.map((row) => [row.attempt.number, row.outcome?.outcome])).toEqual([
      [3, "handled"],
      [2, undefined],
      [1, "failed"],
    ]);
  });
});

describe("the drawing of a state machine", () => {
  const transition = (from: string | null, to: string, trigger: string) => {
    return { from, to, trigger, condition: null, effect: null };
  };

  it("shows every state once, initial ones first and final ones last, with one arrow per pair", () => {
    const { states, arrows, width } = layOut([
      transition(null, "FAILED", "request"),
      transition(null, "PENDING", "request"),
      transition("PENDING", "FAILED", "failed"),
      transition("PENDING", "FAILED", "covered"),
      transition("PENDING", "PENDING", "settled"),
    ]);
    expect(states.map(({ name }) => name)).toEqual(["", "PENDING", "FAILED"]);
    expect(arrows.map(({ key, label }) => [key, label])).toEqual([
      [" FAILED", "request"],
      [" PENDING", "request"],
      ["PENDING FAILED", "failed, covered"],
      ["PENDING PENDING", "settled"],
    ]);
    for (const { path } of arrows) expect(path).not.toMatch(/NaN|undefined/);
    expect(states.every(({ x, w }) => x >= 0 && x + w <= width)).toBe(true);
  });
});
