import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  eventCategories,
  exclude,
  isClosed,
  matches,
  select,
  type Selection,
  type SubscriptionDetails,
} from "../src/subscription.ts";

const catalogue = [
  { type: "payment.created", category: "PAYMENT" },
  { type: "payment.failed", category: "PAYMENT" },
  { type: "refund.pending", category: "PAYMENT" },
  { type: "customer.created", category: "CUSTOMER" },
  { type: "customer.account.linked", category: "ACCOUNT" },
  { type: "account.updated", category: "ACCOUNT" },
];
const names = catalogue.map(({ type }) => type);

const details: fc.Arbitrary<SubscriptionDetails> = fc.oneof(
  fc.constant<SubscriptionDetails>({ type: "ALL" }),
  fc
    .array(fc.constantFrom(...eventCategories), { minLength: 1, maxLength: 4 })
    .map((list): SubscriptionDetails => ({ type: "CATEGORY", details: list })),
  fc
    .array(fc.constantFrom(...names), { minLength: 1, maxLength: 8 })
    .map((list): SubscriptionDetails => ({ type: "EVENT", details: list })),
);
const selections: fc.Arbitrary<Selection> = fc
  .tuple(details, fc.array(details, { maxLength: 3 }))
  .map(([first, exclusions]) => exclusions.reduce(exclude, select(first)));

/** True if details name an event, by the words of S 2.5. */
function isNamed(named: SubscriptionDetails, event: { type: string; category: string }): boolean {
  switch (named.type) {
    case "ALL":
      return true;
    case "CATEGORY":
      return named.details.includes(event.category);
    case "EVENT":
      return named.details.includes(event.type);
    default:
      return named satisfies never;
  }
}

describe("a selection (S 6.2)", () => {
  it("of ALL with details is that of ALL, and matches events of the future (T-21)", () => {
    const selection = select({ type: "ALL", details: ["PAYMENT"] });
    expect(selection).toEqual(select({ type: "ALL" }));
    expect(matches(selection, { type: "report.ready", category: "REPORT" })).toBe(true);
  });

  it("matches by the category of an event, never by the prefix of its name (T-22)", () => {
    const selection = select({ type: "CATEGORY", details: ["CUSTOMER"] });
    const linked = { type: "customer.account.linked", category: "ACCOUNT" };
    expect(matches(selection, linked)).toBe(false);
    expect(matches(select({ type: "CATEGORY", details: ["ACCOUNT"] }), linked)).toBe(true);
  });

  it("has sorted and unique rules if the request repeats a name (T-20)", () => {
    const once = select({ type: "EVENT", details: ["b", "a"] });
    expect(select({ type: "EVENT", details: ["a", "b", "a"] })).toEqual(once);
    expect(once).toEqual({
      include: { all: false, categories: [], events: ["a", "b"] },
      exclude: { all: false, categories: [], events: [] },
    });
  });

  it("distinguishes names by their case (T-20)", () => {
    const selection = select({ type: "CATEGORY", details: ["payment"] });
    expect(matches(selection, { type: "payment.created", category: "PAYMENT" })).toBe(false);
  });

  it("matches what it includes minus what is excluded, in any order", () => {
    fc.assert(
      fc.property(
        details,
        fc.array(details),
        fc.constantFrom(...catalogue),
        (named, out, event) => {
          const isMatch = isNamed(named, event) && !out.some((one) => isNamed(one, event));
          expect(matches(out.reduce(exclude, select(named)), event)).toBe(isMatch);
          expect(out.toReversed().reduce(exclude, select(named))).toEqual(
            out.reduce(exclude, select(named)),
          );
        },
      ),
    );
  });
});

describe("excluding (S 4.4)", () => {
  it("is idempotent, returns the same object if nothing is new, and survives JSON", () => {
    fc.assert(
      fc.property(selections, details, (selection, out) => {
        const once = exclude(selection, out);
        expect(exclude(once, out)).toBe(once);
        expect(once === selection).toBe(JSON.stringify(once) === JSON.stringify(selection));
        expect(JSON.parse(JSON.stringify(once))).toEqual(once);
      }),
    );
  });

  it("keeps rules and never expands them to names", () => {
    const rest = exclude(select({ type: "ALL" }), { type: "CATEGORY", details: ["PAYMENT"] });
    expect(rest).toEqual({
      include: { all: true, categories: [], events: [] },
      exclude: { all: false, categories: ["PAYMENT"], events: [] },
    });
    expect(matches(rest, { type: "payment.new", category: "PAYMENT" })).toBe(false);
    expect(matches(rest, { type: "customer.new", category: "CUSTOMER" })).toBe(true);
  });
});

describe("a subscription is closed", () => {
  const all: SubscriptionDetails = { type: "ALL" };
  const category = (...list: string[]): SubscriptionDetails => ({
    type: "CATEGORY",
    details: list,
  });
  const event = (...list: string[]): SubscriptionDetails => ({ type: "EVENT", details: list });

  it.each<[string, SubscriptionDetails, SubscriptionDetails[]]>([
    ["all categories of ALL", all, [category(...eventCategories)]],
    ["the categories of ALL one by one", all, eventCategories.map((name) => category(name))],
    ["ALL of a name", event("payment.failed"), [all]],
    ["the category included", category("PAYMENT"), [category("PAYMENT")]],
    ["the name included", event("payment.failed"), [event("payment.failed")]],
    ["the name's category", event("payment.failed"), [category("PAYMENT")]],
    ["a name that the catalogue lacks", event("old.name"), [event("old.name")]],
    [
      "one name and the other's category",
      event("payment.failed", "customer.created"),
      [event("payment.failed"), category("CUSTOMER")],
    ],
  ])("if the exclusions are %s", (_, included, excluded) => {
    expect(isClosed(excluded.reduce(exclude, select(included)), catalogue)).toBe(true);
  });

  it.each<[string, SubscriptionDetails, SubscriptionDetails]>([
    ["two categories of ALL", all, category("ACCOUNT", "CUSTOMER")],
    ["every known name of ALL", all, event(...names)],
    ["one of two categories", category("ACCOUNT", "PAYMENT"), category("PAYMENT")],
    ["every known name of a category", category("CUSTOMER"), event("customer.created")],
    ["the name's prefix (T-22)", event("customer.account.linked"), category("CUSTOMER")],
    ["one of two names", event("payment.failed", "refund.pending"), event("refund.pending")],
    ["categories of an unknown name", event("old.name"), category(...eventCategories)],
  ])("but not if the exclusions are only %s", (_, included, excluded) => {
    expect(isClosed(exclude(select(included), excluded), catalogue)).toBe(false);
    expect(isClosed(select(included), catalogue)).toBe(false);
  });

  it("remains closed if more is excluded, and matches no event of the catalogue", () => {
    fc.assert(
      fc.property(selections, details, (selection, out) => {
        fc.pre(isClosed(selection, catalogue));
        expect(isClosed(exclude(selection, out), catalogue)).toBe(true);
        expect(catalogue.filter((row) => matches(selection, row))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
