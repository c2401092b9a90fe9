import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  customerTransitions,
  moveCustomer,
  type CustomerMove,
  type CustomerStatus,
} from "../src/customer.ts";

const statuses = ["CREATED", "ACTIVE", "INACTIVE"] as const;
const moves = ["activate", "deactivate"] as const;

describe("a customer (S 3.2)", () => {
  it.each<[CustomerStatus, CustomerMove, CustomerStatus | undefined]>([
    ["CREATED", "activate", "ACTIVE"],
    ["CREATED", "deactivate", "INACTIVE"],
    ["ACTIVE", "activate", undefined],
    ["ACTIVE", "deactivate", "INACTIVE"],
    ["INACTIVE", "activate", "ACTIVE"],
    ["INACTIVE", "deactivate", undefined],
  ])("that is %s and is told to %s becomes %s", (from, move, to) => {
    expect(moveCustomer(from, move)).toBe(to);
  });

  it("moves as the table says and no other way, and never back to CREATED", () => {
    fc.assert(
      fc.property(fc.constantFrom(...statuses), fc.constantFrom(...moves), (from, move) => {
        const rows = customerTransitions.filter((row) => row.from === from && row.trigger === move);
        expect(rows.map(({ to }) => to)).toEqual(
          [moveCustomer(from, move)].filter((to) => to !== undefined),
        );
        expect(moveCustomer(from, move)).not.toBe("CREATED");
      }),
    );
  });

  it("begins as CREATED, and each state entered is an event", () => {
    expect(customerTransitions.filter(({ from }) => from === undefined)).toEqual([
      {
        from: undefined,
        trigger: "create",
        condition: undefined,
        to: "CREATED",
        effect: "customer.created",
      },
    ]);
    const events = { CREATED: "created", ACTIVE: "activated", INACTIVE: "deactivated" };
    for (const { to, effect, condition } of customerTransitions) {
      expect(effect).toBe(`customer.${events[to]}`);
      expect(condition).toBeUndefined();
    }
  });
});
