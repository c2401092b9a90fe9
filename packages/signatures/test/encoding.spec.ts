import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeCanonical } from "../src/encoding.ts";

describe.each(["base64", "hex"] as const)("canonical %s", (encoding) => {
  it("decodes to the bytes that it was made of, from any character on", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (bytes, before) => {
        const text = before + Buffer.from(bytes).toString(encoding);

        expect(decodeCanonical(text, encoding, before.length)).toEqual(bytes);
      }),
    );
  });

  it("of nothing is no bytes, whatever stands before it", () => {
    for (const before of ["", "=", "==", "v1="]) {
      expect(decodeCanonical(before, encoding, before.length)).toEqual(new Uint8Array());
    }
  });

  it("is the only spelling that decodes", () => {
    const near = fc
      .tuple(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.integer({ min: 0, max: 0x3000 }))
      .map(([bytes, at, unit]) => {
        const text = Buffer.from(bytes).toString(encoding);
        const place = at % text.length;
        return text.slice(0, place) + String.fromCharCode(unit) + text.slice(place + 1);
      });
    const any = fc.oneof(near, fc.base64String(), fc.string(), fc.constant("="), fc.constant("=="));

    fc.assert(
      fc.property(any, (text) => {
        const bytes = Buffer.from(text, encoding);
        const isCanonical = bytes.toString(encoding) === text;

        expect(decodeCanonical(text, encoding)).toEqual(
          isCanonical ? Uint8Array.from(bytes) : undefined,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it("is known by each single character", () => {
    const alphabet = encoding === "base64" ? /[A-Za-z0-9+/]/ : /[0-9a-f]/;
    const fill = encoding === "base64" ? "AAA" : "0";
    const characters = Array.from({ length: 0x200 }, (_, unit) => String.fromCharCode(unit));
    const decoded = characters.filter((one) => decodeCanonical(one + fill, encoding) !== undefined);

    expect(decoded).toEqual(characters.filter((one) => alphabet.test(one)));
  });
});

describe("base64 with unused bits that are set", () => {
  it.each(["QQ==", "QUE="])("is refused beside %s", (canonical) => {
    const unpadded = canonical.replaceAll("=", "");
    const spellings = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
      .split("")
      .map((last) => canonical.replace(unpadded, unpadded.slice(0, -1) + last))
      .filter((text) => decodeCanonical(text, "base64") !== undefined);

    expect(spellings).toHaveLength(canonical === "QQ==" ? 4 : 16);
  });
});
