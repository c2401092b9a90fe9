import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lengthOf } from "../src/length-of.ts";

// Halves of surrogate pairs, and whole ones, among a character that is neither.
const part = fc.array(fc.constantFrom("a", "\ud83d", "\ude00", "\ud83d\ude00"), { maxLength: 12 });
// A long one is counted in another way where it holds no pair.
const units = fc
  .tuple(
    fc.constantFrom(
      [],
      Array.from({ length: 300 }, () => "b"),
    ),
    part,
  )
  .map(([before, parts]) => [...before, ...parts]);

describe("a text's length", () => {
  it("counts a pair of surrogates as one character, and half of a pair as one", () => {
    fc.assert(
      fc.property(units, (parts) => {
        const text = parts.join("");
        expect(lengthOf(text)).toBe(Array.from(text).length);
      }),
    );
  });
});
