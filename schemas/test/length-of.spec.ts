import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lengthOf } from "../src/length-of.ts";

// Halves of surrogate pairs, and whole ones, among a character that is neither.
const part = fc.array(fc.constantFrom("a", "\ud83d", "\ude00", "\ud83d\ude00"), { maxLength: 12 });
// A long text without a pair is counted in another way.
const texts = fc
  .tuple(fc.constantFrom("", "b".repeat(300)), part)
  .map(([before, parts]) => before + parts.join(""));

describe("a text's length", () => {
  it("counts a surrogate pair as one character, and a lone surrogate as one", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(lengthOf(text)).toBe(Array.from(text).length);
      }),
    );
  });
});
