import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isId, parseTenDigits, parseTimestamp } from "../src/grammar.ts";

describe("a timestamp", () => {
  it("is its number exactly where it matches ^(0|[1-9]\\d{0,11})$", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789".split("")), maxLength: 14 });
    const near = fc
      .tuple(digits, fc.constantFrom("/", ":", "-", "+", " ", ".", "e", "٣", "１", "\n", "\0"))
      .chain(([text, odd]) =>
        fc.nat(text.length).map((at) => text.slice(0, at) + odd + text.slice(at)),
      );

    fc.assert(
      fc.property(fc.oneof(digits, near, fc.nat().map(String), fc.string()), (text) => {
        const matches = /^(?:0|[1-9]\d{0,11})$/.test(text);

        expect(parseTimestamp(text)).toBe(matches ? Number(text) : undefined);
        expect(parseTenDigits(text)).toBe(matches && text.length === 10 ? Number(text) : undefined);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["0", 0],
    ["9", 9],
    ["999999999999", 999_999_999_999],
    ["1000000000000", undefined],
    ["00", undefined],
    ["", undefined],
  ])("of %j is %s", (text, seconds) => {
    expect(parseTimestamp(text)).toBe(seconds);
  });
});

describe("an id", () => {
  it("is 1 to 256 characters of its alphabet and nothing else", () => {
    const characters = Array.from({ length: 0x200 }, (_, unit) => String.fromCharCode(unit));

    expect(characters.filter(isId).join("")).toBe(
      "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz",
    );
    expect([0, 1, 256, 257].map((length) => isId("x".repeat(length)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(isId("x\n")).toBe(false);
    expect(isId("\nx")).toBe(false);
  });
});
