import { describe, expect, it } from "vitest";
import { exclude, isClosed, matches, select } from "../src/subscription.ts";

const catalogue = [
  { type: "payment.created", category: "PAYMENT" },
  { type: "customer.account.linked", category: "ACCOUNT" },
];

describe("a selection", () => {
  it("goes by the category's column, never by the name (T-22)", () => {
    const selection = select({ type: "CATEGORY", details: ["CUSTOMER"] });
    expect(matches(selection, { type: "customer.account.linked", category: "ACCOUNT" })).toBe(
      false,
    );
  });

  it("of ALL minus PAYMENT keeps the rest, and is closed with the third category", () => {
    const rest = exclude(select({ type: "ALL" }), { type: "CATEGORY", details: ["PAYMENT"] });
    expect(catalogue.map((event) => matches(rest, event))).toEqual([false, true]);
    expect(isClosed(rest, catalogue)).toBe(false);
    const none = exclude(rest, { type: "CATEGORY", details: ["ACCOUNT", "CUSTOMER"] });
    expect(isClosed(none, catalogue)).toBe(true);
  });
});
