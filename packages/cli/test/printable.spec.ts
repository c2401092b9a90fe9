import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable, printableJson } from "../src/printable.ts";

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
// Any code units, halves of pairs too.
const texts = fc.uint16Array({ maxLength: 30 }).map((units) => String.fromCharCode(...units));
const hostile = ["\u009b2J", "\u202e\u2066", "\u2028", "\u{e0001}", "##[error]x", "a\tb\nc"];

describe("printed text", () => {
  it("contains no control or format character, and its JSON reads back as the same value", () => {
    const holds = (text: string): void => {
      expect(printable(text)).not.toMatch(UNSEEN);
      const json = printableJson({ text });
      expect(json).not.toMatch(UNSEEN);
      expect(json).not.toContain("##[");
      expect(JSON.parse(json)).toEqual({ text });
    };
    fc.assert(fc.property(texts, holds), { examples: hostile.map((text) => [text]) });
  });
});
