// Pact's own builders, without its native core: nothing is sent anywhere.
import {
  boolean,
  eachLike,
  equal,
  integer,
  nullValue,
  number,
  reify,
  regex,
  string,
} from "@pact-foundation/pact/src/v3/matchers.js";
import { describe, expect, it } from "vitest";
import { examples } from "../src/derive/example.ts";
import { matcher } from "../src/derive/matcher.ts";
import { schemaSet } from "../src/derive/schema-set.ts";
import type { LocatedSchema } from "../src/derive/schema.ts";
import { refusals, standard } from "./oracle.ts";

const alone = (schema: object): LocatedSchema =>
  schemaSet({ "one.schema.json": schema }).document("one.schema.json");

describe.each(standard.paths)("a matcher of %s", (path) => {
  it("stands for its example, member by member", () => {
    const at = standard.document(path);
    const made = examples(at, { optional: "present" });
    const reified = made.map((value) => reify(matcher(at, value) as never));
    expect(reified.flatMap((value) => refusals(at, value))).toEqual([]);
    // Of a list, as many items as it must have at least stand for all.
    expect(reified).toEqual(made);
  });
});

describe("a matcher", () => {
  it.each([
    ["a const", { const: "USD" }, "USD", equal("USD")],
    ["an enum", { enum: ["A.B", "C"] }, "C", regex(String.raw`^(A\.B|C)$`, "C")],
    ["a number", { type: "number" }, 10.5, number(10.5)],
    ["an integer", { type: "integer" }, 3, integer(3)],
    ["a boolean", { type: "boolean" }, true, boolean(true)],
    ["text", { type: "string", maxLength: 9 }, "a", string("a")],
    ["text of a form", { type: "string", pattern: "^[a-z]+$" }, "a", regex("^[a-z]+$", "a")],
    ["null where it may be", { type: ["string", "null"] }, null, nullValue()],
    ["text where it may be null", { type: ["string", "null"] }, "a", string("a")],
    [
      "a list of at least two",
      { type: "array", minItems: 2, items: { type: "string" } },
      ["a", "b"],
      eachLike(string("a"), 2),
    ],
  ])("of %s is what Pact builds", (_what, schema, value, built) => {
    expect(matcher(alone(schema), value)).toEqual(JSON.parse(JSON.stringify(built)));
  });

  it("names only the members that the example has: a consumer says what it reads", () => {
    const customer = standard.document("resources/customer.schema.json");
    expect(Object.keys(matcher(customer, { id: "cus_1" }))).toEqual(["id"]);
  });

  it("refuses an example that the schema does not take", () => {
    const amount = standard.document("resources/amount.schema.json");
    expect(() => matcher(amount, { currency: "EUR" })).toThrow(TypeError);
    expect(() => matcher(amount, { extra: 1 })).toThrow(TypeError);
  });
});
