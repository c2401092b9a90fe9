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

/** Whether details name an event, in the words of S 2.5. */
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
  it("of ALL has everything, also events and categories of the future", () => {
    const selection = select({ type: "ALL" });
    expect(matches(selection, { type: "report.ready", category: "REPORT" })).toBe(true);
  });

  it("of ALL with details is that of ALL (T-21)", () => {
    expect(select({ type: "ALL", details: ["PAYMENT"] })).toEqual(select({ type: "ALL" }));
  });

  it("goes by the category's column, never by the name (T-22)", () => {
    const selection = select({ type: "CATEGORY", details: ["CUSTOMER"] });
    const linked = { type: "customer.account.linked", category: "ACCOUNT" };
    expect(matches(selection, linked)).toBe(false);
    expect(matches(select({ type: "CATEGORY", details: ["ACCOUNT"] }), linked)).toBe(true);
  });

  it("keeps its rules sorted and unique: duplicates are a set (T-20)", () => {
    const once = select({ type: "EVENT", details: ["b", "a"] });
    expect(select({ type: "EVENT", details: ["a", "b", "a"] })).toEqual(once);
    expect(once).toEqual({
      include: { all: false, categories: [], events: ["a", "b"] },
      exclude: { all: false, categories: [], events: [] },
    });
  });

  it("tells names by their case (T-20)", () => {
    const selection = select({ type: "CATEGORY", details: ["payment"] });
    expect(matches(selection, { type: "payment.created", category: "PAYMENT" })).toBe(false);
  });

  it("is JSON", () => {
    fc.assert(
      fc.property(selections, (selection) => {
        expect(JSON.parse(JSON.stringify(selection))).toEqual(selection);
      }),
    );
  });

  it("matches what it was asked for minus all that was excluded, in any order", () => {
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
  it("is idempotent, and gives the same object for nothing new", () => {
    fc.assert(
      fc.property(selections, details, (selection, out) => {
        const once = exclude(selection, out);
        expect(exclude(once, out)).toBe(once);
        expect(once === selection).toBe(JSON.stringify(once) === JSON.stringify(selection));
      }),
    );
  });

  it("leaves its argument as it was", () => {
    const selection = select({ type: "ALL" });
    const before = structuredClone(selection);
    exclude(selection, { type: "EVENT", details: ["payment.failed"] });
    expect(selection).toEqual(before);
  });

  it("keeps rules, and never expands them to names", () => {
    const rest = exclude(select({ type: "ALL" }), { type: "CATEGORY", details: ["PAYMENT"] });
    expect(rest).toEqual({
      include: { all: true, categories: [], events: [] },
      exclude: { all: false, categories: ["PAYMENT"], events: [] },
    });
    expect(matches(rest, { type: "payment.new", category: "PAYMENT" })).toBe(false);
    expect(matches(rest, { type: "customer.new", category: "CUSTOMER" })).toBe(true);
  });

  it("never adds an event", () => {
    fc.assert(
      fc.property(selections, details, fc.constantFrom(...catalogue), (selection, out, event) => {
        const isLeft = matches(exclude(selection, out), event);
        expect(isLeft).toBe(matches(selection, event) && !isNamed(out, event));
      }),
    );
  });
});

describe("a subscription is closed with nothing left", () => {
  const all: SubscriptionDetails = { type: "ALL" };
  const category = (...list: string[]): SubscriptionDetails => ({
    type: "CATEGORY",
    details: list,
  });
  const event = (...list: string[]): SubscriptionDetails => ({ type: "EVENT", details: list });

  it.each<[string, boolean, SubscriptionDetails, SubscriptionDetails[]]>([
    ["nothing of ALL", false, all, []],
    ["two categories of ALL", false, all, [category("ACCOUNT", "CUSTOMER")]],
    ["ACCOUNT, CUSTOMER and PAYMENT of ALL", true, all, [category(...eventCategories)]],
    [
      "the three one by one",
      true,
      all,
      [category("ACCOUNT"), category("PAYMENT"), category("CUSTOMER")],
    ],
    ["every known name of ALL", false, all, [event(...names)]],
    ["ALL of ALL", true, all, [all]],
    ["ALL of a category", true, category("PAYMENT"), [all]],
    ["ALL of a name", true, event("payment.failed"), [all]],
    ["the category included", true, category("PAYMENT"), [category("PAYMENT")]],
    ["one of two categories", false, category("ACCOUNT", "PAYMENT"), [category("PAYMENT")]],
    ["every known name of a category", false, category("CUSTOMER"), [event("customer.created")]],
    ["the name included", true, event("payment.failed"), [event("payment.failed")]],
    ["the name's category", true, event("payment.failed"), [category("PAYMENT")]],
    ["another category", false, event("payment.failed"), [category("CUSTOMER")]],
    [
      "the category of its prefix (T-22)",
      false,
      event("customer.account.linked"),
      [category("CUSTOMER")],
    ],
    [
      "one of two names",
      false,
      event("payment.failed", "refund.pending"),
      [event("refund.pending")],
    ],
    [
      "one name, the other's category",
      true,
      event("payment.failed", "customer.created"),
      [event("payment.failed"), category("CUSTOMER")],
    ],
    ["a name that the catalogue lacks", true, event("old.name"), [event("old.name")]],
    [
      "every category, and it was a name that the catalogue lacks",
      false,
      event("old.name"),
      [category(...eventCategories)],
    ],
  ])("with %s excluded: %s", (_, closed, included, excluded) => {
    expect(isClosed(excluded.reduce(exclude, select(included)), catalogue)).toBe(closed);
  });

  it("only if no event of the catalogue matches", () => {
    fc.assert(
      fc.property(selections, fc.constantFrom(...catalogue), (selection, one) => {
        expect(isClosed(selection, catalogue) && matches(selection, one)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("and stays closed with more excluded", () => {
    fc.assert(
      fc.property(selections, details, (selection, out) => {
        fc.pre(isClosed(selection, catalogue));
        expect(isClosed(exclude(selection, out), catalogue)).toBe(true);
      }),
    );
  });
});
