import { describe, expect, it } from "vitest";
import { customerTransitions, moveCustomer } from "../src/customer.ts";

describe("a customer (S 3.2)", () => {
  it("is created, and makes exactly the moves of its table, each with its event", () => {
    const rows = customerTransitions.map(({ from = "-", trigger, to, effect = "-" }) =>
      [from, trigger, to, effect].join(" "),
    );
    expect(rows).toEqual([
      "- create CREATED customer.created",
      "CREATED activate ACTIVE customer.activated",
      "ACTIVE deactivate INACTIVE customer.deactivated",
      "INACTIVE activate ACTIVE customer.activated",
      "CREATED deactivate INACTIVE customer.deactivated",
    ]);
    for (const from of ["CREATED", "ACTIVE", "INACTIVE"] as const)
      for (const move of ["activate", "deactivate"] as const) {
        const row = rows.find((one) => one.startsWith(`${from} ${move} `));
        expect([from, move, moveCustomer(from, move)]).toEqual([from, move, row?.split(" ")[2]]);
      }
  });
});
