import { expect, it } from "vitest";
import { moveCustomer } from "../src/customer.ts";

it.each([
  ["CREATED", "activate", "ACTIVE"],
  ["CREATED", "deactivate", "INACTIVE"],
  ["ACTIVE", "deactivate", "INACTIVE"],
  ["ACTIVE", "activate", undefined],
  ["INACTIVE", "activate", "ACTIVE"],
  ["INACTIVE", "deactivate", undefined],
] as const)("a customer that is %s moves by %s to %s (S 3.2)", (from, move, to) => {
  expect(moveCustomer(from, move)).toBe(to);
});
