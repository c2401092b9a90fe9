import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareStates, type ResourceState, type StateOrder } from "../src/ordering.ts";

const states: fc.Arbitrary<ResourceState> = fc.record({
  type: fc.constantFrom("refund.pending", "refund.authorized", "refund.failed"),
  timestamp: fc.nat(5),
  rank: fc.option(fc.nat(3), { nil: undefined }),
});
const opposite: Record<StateOrder, StateOrder> = {
  older: "newer",
  newer: "older",
  same: "same",
  contradictory: "contradictory",
};

describe("the second of two states of one resource", () => {
  it.each<[string, ResourceState, ResourceState, StateOrder]>([
    [
      "further along, though its clock is behind",
      { type: "refund.pending", timestamp: 9, rank: 1 },
      { type: "refund.authorized", timestamp: 1, rank: 2 },
      "newer",
    ],
    [
      "less far along, though its clock is ahead",
      { type: "refund.authorized", timestamp: 1, rank: 2 },
      { type: "refund.pending", timestamp: 9, rank: 1 },
      "older",
    ],
    [
      "told again",
      { type: "refund.failed", timestamp: 1, rank: 3 },
      { type: "refund.failed", timestamp: 9, rank: 3 },
      "same",
    ],
    [
      "another end",
      { type: "payment.succeeded", timestamp: 1, rank: 3 },
      { type: "payment.failed", timestamp: 9, rank: 3 },
      "contradictory",
    ],
    [
      "later, without ranks",
      { type: "account.updated", timestamp: 1 },
      { type: "account.updated", timestamp: 2 },
      "newer",
    ],
    [
      "earlier, without ranks",
      { type: "customer.activated", timestamp: 2 },
      { type: "customer.deactivated", timestamp: 1 },
      "older",
    ],
    [
      "of the same time and type",
      { type: "account.updated", timestamp: 1 },
      { type: "account.updated", timestamp: 1 },
      "same",
    ],
    [
      "of the same time and another type",
      { type: "customer.activated", timestamp: 1 },
      { type: "customer.deactivated", timestamp: 1 },
      "contradictory",
    ],
    [
      "later, where the first alone has a rank",
      { type: "refund.failed", timestamp: 1, rank: 3 },
      { type: "refund.noted", timestamp: 2 },
      "newer",
    ],
    [
      "earlier, where the second alone has a rank",
      { type: "refund.noted", timestamp: 2 },
      { type: "refund.failed", timestamp: 1, rank: 3 },
      "older",
    ],
  ])("%s is judged by rank, else by time", (_, first, second, order) => {
    expect(compareStates({ first, second })).toBe(order);
  });

  it("stands to the first as the first to the second, turned round", () => {
    fc.assert(
      fc.property(states, states, (first, second) => {
        const order = compareStates({ first, second });
        expect(compareStates({ first: second, second: first })).toBe(opposite[order]);
      }),
    );
  });

  it("is the same state as itself", () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(compareStates({ first: state, second: { ...state } })).toBe("same");
      }),
    );
  });
});
