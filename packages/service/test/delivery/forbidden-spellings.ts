import fc from "fast-check";

/** Addresses that no delivery may reach, as their four bytes. */
const targets = fc.oneof(
  fc.constantFrom([127, 0, 0, 1], [169, 254, 169, 254], [0, 0, 0, 0], [168, 63, 129, 16]),
  fc.tuple(fc.constant(127), fc.nat(255), fc.nat(255), fc.nat(255)),
  fc.tuple(fc.constant(10), fc.nat(255), fc.nat(255), fc.nat(255)),
  fc.tuple(fc.constant(192), fc.constant(168), fc.nat(255), fc.nat(255)),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), fc.nat(255), fc.nat(255)),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), fc.nat(255), fc.nat(255)),
);

type Bytes = readonly number[];
const byte = (bytes: Bytes, at: number): number => bytes[at] ?? 0;
const dword = (bytes: Bytes): number => bytes.reduce((sum, one) => sum * 256 + one, 0);
const hex = (number: number, width = 0): string => number.toString(16).padStart(width, "0");
const groups = (bytes: Bytes): string =>
  `${hex(byte(bytes, 0) * 256 + byte(bytes, 1))}:${hex(byte(bytes, 2) * 256 + byte(bytes, 3))}`;
const fullWidth = (text: string): string =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
const part = (number: number, how: number): string =>
  [String(number), `0x${hex(number)}`, `0${number.toString(8)}`, `0x000${hex(number)}`][how % 4] ??
  "";
const percent = (text: string): string =>
  text.replaceAll(/[\d.]/g, (one) => `%${hex(one.codePointAt(0) ?? 0, 2)}`);

/** The ways in which a URL may spell an address of version 4, and those of version 6 that carry one. */
const spellings: readonly ((bytes: Bytes, how: readonly number[]) => string)[] = [
  (bytes) => bytes.join("."),
  (bytes) => `${bytes.join(".")}.`,
  (bytes) => String(dword(bytes)),
  (bytes) => `0x${hex(dword(bytes))}`,
  (bytes) => `0${dword(bytes).toString(8)}`,
  (bytes, how) => bytes.map((one, at) => part(one, how[at] ?? 0)).join("."),
  (bytes, how) =>
    `${part(byte(bytes, 0), how[0] ?? 0)}.${part(dword(bytes.slice(1)), how[1] ?? 0)}`,
  (bytes, how) =>
    [...bytes.slice(0, 2), dword(bytes.slice(2))]
      .map((one, at) => part(one, how[at] ?? 0))
      .join("."),
  (bytes) => fullWidth(bytes.join(".")),
  (bytes) => bytes.join("。"),
  (bytes) => percent(bytes.join(".")),
  (bytes) => `[::ffff:${bytes.join(".")}]`,
  (bytes) => `[::ffff:${groups(bytes)}]`,
  (bytes) => `[0:0:0:0:0:ffff:${groups(bytes)}]`,
  (bytes) => `[::${groups(bytes)}]`,
  (bytes) => `[64:ff9b::${groups(bytes)}]`,
  (bytes) => `[64:ff9b:1::${groups(bytes)}]`,
  (bytes) => `[2002:${groups(bytes)}::1]`,
  (bytes) => `[2001:0:${groups(bytes)}::1]`,
  () => "[::1]",
  () => "[::]",
  () => "[fe80::1]",
  () => "[fd00::1]",
  () => "[fec0::1]",
  () => "[ff02::1]",
];

/** Hosts of URLs that name a forbidden address. */
export const forbiddenHosts: fc.Arbitrary<string> = fc
  .tuple(
    targets,
    fc.constantFrom(...spellings),
    fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }),
    fc.boolean(),
  )
  .map(([bytes, spell, how, isUpper]) => {
    const host = spell(bytes, how);
    return isUpper ? host.toUpperCase() : host;
  });
