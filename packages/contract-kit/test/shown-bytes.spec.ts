import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shownBytes } from "../src/shown-bytes.ts";

describe("bytes of the wire, as text", () => {
  it("are themselves where they are plain, with a line for each line of HTTP", () => {
    expect(shownBytes("POST /a HTTP/1.1\r\nhost: x\r\n\r\n{}")).toBe(
      "POST /a HTTP/1.1\nhost: x\n\n{}",
    );
  });

  it.each([
    ["a line break of its own", "a\nb", "a\\n\nb"],
    ["a carriage return of its own", "a\rb", "a\\rb"],
    ["a backslash", "\\n", "\\\\n"],
    ["an escape code", "\u001b[2J", "\\u{1b}[2J"],
    ["a control of the second block", "\u009b2J", "\\u{9b}2J"],
    ["what turns the direction", "\u202e", "\\u{202e}"],
    ["a byte order mark", "\ufeff{}", "\\u{feff}{}"],
    ["letters beyond ASCII", "é€😀", "é€😀"],
  ])("show %s", (_what, bytes, text) => {
    expect(shownBytes(bytes)).toBe(text);
  });

  it("that are no UTF-8 are hexadecimal, each", () => {
    expect(shownBytes(Uint8Array.of(0x61, 0xff, 0xc3, 0x28, 0xe2, 0x82))).toBe(
      "a\\xff\\xc3(\\xe2\\x82",
    );
  });

  it("are counted beyond the cap", () => {
    expect(shownBytes("aaaa€", { cap: 5 })).toBe("aaaa\\xe2\n… 2 more bytes");
  });

  it("never hold a control character but line breaks", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(shownBytes(bytes)).not.toMatch(/[^\P{Cc}\n]|\p{Cf}|\p{Zl}|\p{Zp}|\uFFFD/u);
      }),
      { seed: 11, numRuns: 300 },
    );
  });
});
