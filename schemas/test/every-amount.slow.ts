import { expect, it } from "vitest";
import { amounts, refusedAmounts } from "./every-amount.ts";

it("[P-REFUND-AMOUNT] an amount passes as a number for every cent from 0.01 to 99,999.99", () => {
  expect(refusedAmounts(amounts(9_999_999))).toEqual([]);
});
