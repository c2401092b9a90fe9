import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstBadByte } from "../src/json-tokens.ts";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function isWellFormed(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

describe("firstBadByte (RFC 3629 section 4)", () => {
  it.each([
    ["all of ASCII", [0x00, 0x7f], 2],
    ["the first and last of 2 bytes", [0xc2, 0x80, 0xdf, 0xbf], 4],
    ["the first and last of 3 bytes", [0xe0, 0xa0, 0x80, 0xef, 0xbf, 0xbf], 6],
    ["those around the surrogates", [0xed, 0x9f, 0xbf, 0xee, 0x80, 0x80], 6],
    ["the first and last of 4 bytes", [0xf0, 0x90, 0x80, 0x80, 0xf4, 0x8f, 0xbf, 0xbf], 8],
    ["a lone continuation", [0x61, 0x80], 1],
    ["an overlong 2-byte form", [0xc1, 0xbf], 0],
    ["an overlong 3-byte form", [0xe0, 0x9f, 0xbf], 0],
    ["an overlong 4-byte form", [0xf0, 0x8f, 0xbf, 0xbf], 0],
    ["a surrogate", [0x61, 0xed, 0xa0, 0x80], 1],
    ["more than U+10FFFF", [0xf4, 0x90, 0x80, 0x80], 0],
    ["a lead that no character has", [0xf5, 0x80, 0x80, 0x80], 0],
    ["a cut 2-byte form", [0x61, 0x62, 0xc3], 2],
    ["a cut 3-byte form", [0xe2, 0x82], 0],
    ["a cut 4-byte form", [0x61, 0xf0, 0x9f, 0x98], 1],
    ["a 4-byte form that ends in ASCII", [0xf0, 0x9f, 0x98, 0x41], 0],
    ["a 3-byte form with a lead for its end", [0xe2, 0x82, 0xc2], 0],
  ])("is exact for %s", (_, bytes, offset) => {
    expect(firstBadByte(Uint8Array.from(bytes))).toBe(offset);
  });

  it("is the length of the longest well-formed start, as the decoder judges", () => {
    const lead = fc.constantFrom(0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0x41);
    const tail = fc.constantFrom(0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0);
    const bytes = fc
      .array(fc.oneof(lead, tail, tail, fc.nat(255)), { maxLength: 12 })
      .map((list) => Uint8Array.from(list));
    fc.assert(
      fc.property(bytes, (body) => {
        let longest = body.length;
        while (!isWellFormed(body.subarray(0, longest))) longest -= 1;
        expect(firstBadByte(body)).toBe(longest);
      }),
      { numRuns: 3000 },
    );
  });
});
