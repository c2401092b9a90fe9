import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable, printableJson } from "../src/printable.ts";

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

// Any code units, halves of pairs too.
const texts = fc.uint16Array({ maxLength: 30 }).map((units) => String.fromCharCode(...units));

describe("what is printed", () => {
  it("holds no control character, whatever a stranger says", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(printable(text)).not.toMatch(UNSEEN);
        expect(printableJson({ text })).not.toMatch(UNSEEN);
        expect(JSON.parse(printableJson({ text }))).toEqual({ text });
      }),
      { seed: 5, numRuns: 200 },
    );
  });

  it.each(["\u009b2J", "\u202e\u2066", "\u2028", "\u{e0001}", "##[error]x", "a\tb\nc"])(
    "as JSON is the same value where it is read again: %j",
    (text) => {
      const json = printableJson({ text });
      expect(json).toMatch(/^[\x20-\x7E]*$/);
      expect(json).not.toContain("##[");
      expect(JSON.parse(json)).toEqual({ text });
    },
  );
});
