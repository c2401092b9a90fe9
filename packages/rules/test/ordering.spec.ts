import { describe, expect, it } from "vitest";
import { compareStates, type ResourceState, type StateOrder } from "../src/ordering.ts";

const state = (type: string, timestamp: number, rank?: number): ResourceState => ({
  type,
  timestamp,
  rank,
});
const opposite: Record<StateOrder, StateOrder> = {
  older: "newer",
  newer: "older",
  same: "same",
  contradictory: "contradictory",
};

describe("the second of two states of one resource", () => {
  it.each<[string, ResourceState, ResourceState, StateOrder]>([
    ["further along with a clock behind", state("a", 9, 1), state("b", 1, 2), "newer"],
    ["at the same rank and type, later", state("a", 1, 3), state("a", 9, 3), "same"],
    ["at the same rank, of another type", state("a", 1, 3), state("b", 9, 3), "contradictory"],
    ["later, without ranks", state("a", 1), state("a", 2), "newer"],
    ["of the same time and type", state("a", 1), state("a", 1), "same"],
    ["of the same time, of another type", state("a", 1), state("b", 1), "contradictory"],
    ["later, if only the first has a rank", state("a", 1, 3), state("b", 2), "newer"],
    ["later, if only the second has a rank", state("b", 1), state("a", 2, 0), "newer"],
  ])("%s compares by rank, else by time, and in reverse as the opposite", (_, a, b, order) => {
    expect(compareStates({ first: a, second: b })).toBe(order);
    expect(compareStates({ first: b, second: a })).toBe(opposite[order]);
  });
});
