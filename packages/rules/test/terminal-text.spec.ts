import fc from "fast-check";
import { expect, it } from "vitest";
import { terminalJson, terminalLine } from "../src/terminal-text.ts";

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

// Any code units, halves of pairs too.
const texts = fc.uint16Array({ maxLength: 30 }).map((units) => String.fromCharCode(...units));

const hostile = [
  "\u009b2J",
  "\u202e\u2066",
  "\u2028",
  "\u{e0001}",
  "##[error]x",
  "a\tb\nc",
  " ::error::x",
];

it("a line for a terminal has no control or format character and no build command, and JSON reads back as the same value", () => {
  const holds = (text: string): void => {
    const line = terminalLine(text);
    expect(line).not.toMatch(UNSEEN);
    expect(line).not.toMatch(/^\s*::/);
    const json = terminalJson({ text });
    expect(json).not.toMatch(UNSEEN);
    for (const shown of [line, json]) expect(shown).not.toContain("##[");
    expect(JSON.parse(json)).toEqual({ text });
  };
  fc.assert(fc.property(texts, holds), { examples: hostile.map((text) => [text]) });
});
