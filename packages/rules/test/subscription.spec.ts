import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
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
const eventCategories = ["ACCOUNT", "CUSTOMER", "PAYMENT"];

const details: fc.Arbitrary<SubscriptionDetails> = fc.oneof(
  fc.constant<SubscriptionDetails>({ type: "ALL" }),
  fc
    .array(fc.constantFrom(...eventCategories), { minLength: 1, maxLength: 4 })
    .map((list): SubscriptionDetails => ({ type: "CATEGORY", details: list })),
  fc
    .array(fc.constantFrom(...names, "old.name"), { minLength: 1, maxLength: 8 })
    .map((list): SubscriptionDetails => ({ type: "EVENT", details: list })),
);
const selections: fc.Arbitrary<Selection> = fc
  .tuple(details, fc.array(details, { maxLength: 3 }))
  .map(([first, exclusions]) => exclusions.reduce(exclude, select(first)));

/** True if details select an event, according to S 2.5. */
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

  it("has sorted and unique rules if the request repeats a name, and distinguishes case (T-20)", () => {
    const lower = select({ type: "CATEGORY", details: ["payment"] });
    expect(matches(lower, { type: "payment.created", category: "PAYMENT" })).toBe(false);
    const once = select({ type: "EVENT", details: ["b", "a"] });
    expect(select({ type: "EVENT", details: ["a", "b", "a"] })).toEqual(once);
    expect(once).toEqual({
      include: { all: false, categories: [], events: ["a", "b"] },
      exclude: { all: false, categories: [], events: [] },
    });
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
    expect(exclude(select({ type: "ALL" }), { type: "CATEGORY", details: ["PAYMENT"] })).toEqual({
      include: { all: true, categories: [], events: [] },
      exclude: { all: false, categories: ["PAYMENT"], events: [] },
    });
  });
});

describe("a subscription is closed", () => {
  it("exactly if no event of the catalogue, of a known category's future or of an included name is left", () => {
    const closed = new Set<boolean>();
    fc.assert(
      fc.property(selections, (selection) => {
        const { categories, events, all } = selection.include;
        const future = [...categories, ...(all ? eventCategories : [])];
        const rows = [
          ...catalogue,
          ...future.map((category) => ({ type: "of.the.future", category })),
          ...(events.includes("old.name") ? [{ type: "old.name", category: "unknown" }] : []),
        ];
        const isLeft = rows.some((row) => matches(selection, row));
        expect(isClosed(selection, catalogue)).toBe(!isLeft);
        closed.add(isLeft);
      }),
      { numRuns: 1000 },
    );
    expect(closed.size).toBe(2);
  });

  it("not by the prefix of an included name (T-22)", () => {
    const selection = select({ type: "EVENT", details: ["customer.account.linked"] });
    const category = (name: string) => ({ type: "CATEGORY", details: [name] }) as const;
    expect(isClosed(exclude(selection, category("CUSTOMER")), catalogue)).toBe(false);
    expect(isClosed(exclude(selection, category("ACCOUNT")), catalogue)).toBe(true);
  });
});
