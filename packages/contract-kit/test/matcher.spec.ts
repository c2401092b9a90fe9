import { describe, expect, it } from "vitest";
import * as pact from "@pact-foundation/pact/src/v3/matchers.js";
import { matcher } from "../src/derive/matcher.ts";
import { alone, standard } from "./oracle.ts";

// Pact's own builders, without its native core: nothing is sent anywhere.

const text = { type: "string" };
const textOrNull = { type: ["string", "null"] };
const pair = { type: "array", minItems: 2, items: text };

describe("a matcher", () => {
  it.each([
    ["a const", { const: "USD" }, "USD", pact.equal("USD")],
    ["an enum", { enum: ["A.B", "C"] }, "C", pact.regex(String.raw`^(A\.B|C)$`, "C")],
    ["a number", { type: "number" }, 10.5, pact.number(10.5)],
    ["an integer", { type: "integer" }, 3, pact.integer(3)],
    ["a boolean", { type: "boolean" }, true, pact.boolean(true)],
    ["text", { ...text, maxLength: 9 }, "a", pact.string("a")],
    ["text with a pattern", { ...text, pattern: "^[a-z]+$" }, "a", pact.regex("^[a-z]+$", "a")],
    ["a nullable null", textOrNull, null, pact.nullValue()],
    ["nullable text", textOrNull, "a", pact.string("a")],
    ["a list of at least two", pair, ["a", "b"], pact.eachLike(pact.string("a"), 2)],
  ])("equals the one that Pact builds for %s", (_what, schema, value, built) => {
    expect(matcher(alone(schema), value)).toEqual(JSON.parse(JSON.stringify(built)));
  });

  it("names only the example's members, and rejects an example that the schema refuses", () => {
    const customer = standard("customer");
    expect(Object.keys(matcher(customer, { id: "cus_1" }))).toEqual(["id"]);
    const amount = standard("amount");
    expect(() => matcher(amount, { currency: "EUR" })).toThrow(TypeError);
    expect(() => matcher(amount, { extra: 1 })).toThrow(TypeError);
  });
});
