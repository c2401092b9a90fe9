import { describe, expect, it } from "vitest";
import {
  customerTransitions,
  moveCustomer,
  type CustomerMove,
  type CustomerStatus,
} from "../src/customer.ts";

const moves: readonly (readonly [CustomerStatus, CustomerMove, CustomerStatus | undefined])[] = [
  ["CREATED", "activate", "ACTIVE"],
  ["CREATED", "deactivate", "INACTIVE"],
  ["ACTIVE", "activate", undefined],
  ["ACTIVE", "deactivate", "INACTIVE"],
  ["INACTIVE", "activate", "ACTIVE"],
  ["INACTIVE", "deactivate", undefined],
];

describe("a customer (S 3.2)", () => {
  it.each(moves)("that is %s when asked to %s becomes %s", (from, move, to) => {
    expect(moveCustomer(from, move)).toBe(to);
  });

  it("has a transition table of exactly these moves after its creation, each with its event", () => {
    const events = { CREATED: "created", ACTIVE: "activated", INACTIVE: "deactivated" };
    const rows = moves.flatMap(([from, trigger, to]) =>
      to === undefined ? [] : { from, trigger, to },
    );
    const all = [{ from: undefined, trigger: "create", to: "CREATED" } as const, ...rows];
    expect(new Set(customerTransitions)).toEqual(
      new Set(
        all.map((row) => ({
          ...row,
          condition: undefined,
          effect: `customer.${events[row.to]}`,
        })),
      ),
    );
  });
});
