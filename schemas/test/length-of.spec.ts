import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lengthOf } from "../src/length-of.ts";

// Halves of surrogate pairs, and whole ones, among a character that is neither.
const units = fc.array(fc.constantFrom("a", "\ud83d", "\ude00", "\ud83d\ude00"), { maxLength: 12 });

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
