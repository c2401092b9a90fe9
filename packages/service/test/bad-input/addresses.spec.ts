import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endpointUrl } from "../../src/delivery/endpoint-url.ts";
import { refusesHost } from "../../src/delivery/guarded-connector.ts";

const byte = fc.nat({ max: 255 });
/** IPv4 addresses that no merchant's receiver has, as four bytes. */
const inside: fc.Arbitrary<readonly number[]> = fc.oneof(
  fc.constantFrom([127, 0, 0, 1], [169, 254, 169, 254], [168, 63, 129, 16], [0, 0, 0, 0]),
  fc.tuple(fc.constantFrom(10, 127, 0), byte, byte, byte),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
  fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
  fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
);

/** A number as URL parsers take it: decimal, octal, hexadecimal, with zeros before. */
const numeral = (value: number): fc.Arbitrary<string> =>
  fc.constantFrom(
    String(value),
    `0${value.toString(8)}`,
    `000${value.toString(8)}`,
    `0x${value.toString(16)}`,
    `0X${value.toString(16).toUpperCase()}`,
    `0x0000${value.toString(16)}`,
  );

/** The last of one to four parts holds all bytes that are left. */
const dotted = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]): fc.Arbitrary<string> =>
  fc
    .constantFrom(
      [a, b, c, d],
      [a, b, c * 256 + d],
      [a, b * 65_536 + c * 256 + d],
      [a * 16_777_216 + b * 65_536 + c * 256 + d],
    )
    .chain((parts) => fc.tuple(...parts.map(numeral)))
    .map((parts) => parts.join("."));

const FULL_WIDTH = "０１２３４５６７８９";
/** What Unicode's mapping for host names makes the same text of. */
const disguised = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.nat({ max: 5 }), { minLength: text.length, maxLength: text.length })
    .map((dice) =>
      text.split("").map((character, at) => {
        if (dice[at] === 0 && /\d/.test(character)) return FULL_WIDTH[Number(character)];
        if (dice[at] === 1 && character === ".") return "。";
        if (dice[at] === 2 && character === ".") return "．";
        if (dice[at] === 3 && /[\dx.]/.test(character))
          return encodeURIComponent(character).replace(
            /^[^%]$/,
            (one) => `%${one.charCodeAt(0).toString(16)}`,
          );
        return character;
      }),
    )
    .chain((spelt) => fc.constantFrom("", ".").map((end) => `${spelt.join("")}${end}`));

const hex = (bytes: readonly number[]): string => {
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};
/** IPv6 addresses that carry the IPv4 one: mapped, compatible, NAT64, 6to4, Teredo, and local ones. */
const carried = (bytes: readonly number[]): fc.Arbitrary<string> =>
  fc.constantFrom(
    `[::ffff:${bytes.join(".")}]`,
    `[::FFFF:${hex(bytes)}]`,
    `[0:0:0:0:0:ffff:${hex(bytes)}]`,
    `[0000:0000:0000:0000:0000:ffff:${hex(bytes)}]`,
    `[::${hex(bytes)}]`,
    `[::${bytes.join(".")}]`,
    `[64:ff9b::${hex(bytes)}]`,
    `[64:ff9b:1::${bytes.join(".")}]`,
    `[2002:${hex(bytes)}::1]`,
    `[2001:0:${hex(bytes)}::]`,
    `[fe80::${hex(bytes)}]`,
    `[fd00::${hex(bytes)}]`,
    "[::1]",
    "[::]",
  );

describe("B4 an address inside, however it is spelt", () => {
  it("is connected to by no attempt, in 10,000 spellings", () => {
    let refusedByHost = 0;
    const spelling = inside.chain((bytes) =>
      fc.oneof(dotted(bytes).chain(disguised), carried(bytes)),
    );
    fc.assert(
      fc.property(spelling, fc.constantFrom("", ":443", ":8443"), (host, port) => {
        const url = endpointUrl(`https://${host}${port}/hooks`, { allowLoopback: false });
        const refused =
          url === undefined || refusesHost(url, { allowLoopback: false }) !== undefined;
        expect([host, url?.hostname, refused]).toEqual([host, url?.hostname, true]);
        if (url !== undefined) refusedByHost += 1;
      }),
      { numRuns: 10_000 },
    );
    // Most of them are URLs: what refuses them is that the address has been read.
    expect(refusedByHost).toBeGreaterThan(5000);
  });

  it("is told apart from one outside", () => {
    for (const host of ["8.8.8.8", "0x08080808", "[2606:4700::1111]", "merchant.example"]) {
      const url = endpointUrl(`https://${host}/`, { allowLoopback: false });
      expect([host, url && refusesHost(url, { allowLoopback: false })]).toEqual([host, undefined]);
      expect(url).toBeDefined();
    }
  });
});
