import { describe, expect, it } from "vitest";
import { customerTransitions, moveCustomer } from "../src/customer.ts";
import { drawnMoves } from "./diagrams.ts";

describe("a customer (S 3.2)", () => {
  it("is created, and makes exactly the moves of the diagram, each with its event", () => {
    const moves = drawnMoves("A customer (S 3.2):");
    const rows = moves.map(({ from = "-", trigger, to, effect }) =>
      [from, trigger, to, effect].join(" "),
    );
    expect(rows).toEqual([
      "- create CREATED customer.created",
      "CREATED activate ACTIVE customer.activated",
      "ACTIVE deactivate INACTIVE customer.deactivated",
      "INACTIVE activate ACTIVE customer.activated",
      "CREATED deactivate INACTIVE customer.deactivated",
    ]);
    expect(customerTransitions).toEqual(
      moves.map(({ from, trigger, to }) => ({ from, trigger, to })),
    );
    for (const from of ["CREATED", "ACTIVE", "INACTIVE"] as const)
      for (const move of ["activate", "deactivate"] as const) {
        const row = rows.find((one) => one.startsWith(`${from} ${move} `));
        expect([from, move, moveCustomer(from, move)]).toEqual([from, move, row?.split(" ")[2]]);
      }
  });
});
