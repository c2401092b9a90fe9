import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { containsSecret } from "../src/redact.ts";
import { redactor } from "../src/report/index.ts";
import { shownBytes } from "../src/exchange-text.ts";

describe("shown bytes", () => {
  it.each([
    ["plain text, a line for each line of HTTP", "A\r\nhost: x\r\n\r\n{}", "A\nhost: x\n\n{}"],
    ["a bare line feed", "a\nb", "a\\n\nb"],
    ["a bare carriage return", "a\rb", "a\\rb"],
    ["a backslash", "\\n", "\\\\n"],
    ["an escape code", "\u001b[2J", "\\u{1b}[2J"],
    ["a C1 control", "\u009b2J", "\\u{9b}2J"],
    ["a change of direction", "\u202e", "\\u{202e}"],
    ["a byte order mark", "\ufeff{}", "\\u{feff}{}"],
    ["letters beyond ASCII", "é€😀", "é€😀"],
    ["invalid UTF-8", Uint8Array.of(0x61, 0xff, 0xc3, 0x28, 0xe2, 0x82), "a\\xff\\xc3(\\xe2\\x82"],
  ])("render %s", (_what, bytes, text) => {
    expect(shownBytes(bytes)).toBe(text);
  });

  it("end with the count of the bytes beyond the cap", () => {
    const shown = shownBytes(`${"a".repeat(2048)}€`);
    expect(shown).toBe(`${"a".repeat(2048)}\n… 3 more bytes`);
  });

  it("never contain a control character except line breaks", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(shownBytes(bytes)).not.toMatch(/[^\P{Cc}\n]|\p{Cf}|\p{Zl}|\p{Zp}|\uFFFD/u);
      }),
      { seed: 11, numRuns: 300 },
    );
  });
});

describe("a secret", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/=";
  const bare = secret.slice(6);
  const key = Buffer.from(bare, "base64");
  it.each([
    ["as it is", secret],
    ["without its prefix", bare],
    ["in a query", encodeURIComponent(secret)],
    ["as hexadecimal digits", Buffer.from(secret).toString("hex")],
    ["as base64", Buffer.from(secret).toString("base64")],
    ["as base64url", Buffer.from(secret).toString("base64url")],
    ["as its key in hexadecimal digits", key.toString("hex")],
    ["as its key in capital digits", key.toString("hex").toUpperCase()],
  ])("is found and hidden %s, and the rest is kept", (_form, text) => {
    expect(containsSecret(`a=${text}&b`, ["another-secret", secret])).toBe(true);
    expect(redactor([secret])({ entries: [{ message: `a ${text} b`, ms: 1 }] })).toEqual({
      entries: [{ message: expect.stringMatching(/^a .*\[secret\].* b$/) as unknown, ms: 1 }],
    });
  });

  it("of any text is hidden, also where bytes are shown", () => {
    const any = fc.string({ unit: "grapheme-ascii", minLength: 8, maxLength: 40 });
    fc.assert(
      fc.property(any, fc.string(), fc.string(), (one, before, after) => {
        const hidden = redactor([one])([before + one + after, shownBytes(one)]);
        expect(hidden[0]).not.toContain(one);
        expect(hidden[1]).not.toContain(shownBytes(one));
      }),
      { seed: 3, numRuns: 200 },
    );
  });

  it("is not looked for if it is a short word, and may have half a surrogate pair", () => {
    expect(redactor(["token"])("a token")).toBe("a token");
    expect(containsSecret("a short word", ["short", "\ud800-a-longer-one", secret])).toBe(false);
  });
});
