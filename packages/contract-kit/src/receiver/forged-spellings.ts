import type { Signing } from "../harness/signing.ts";
import { swappedCase } from "../values.ts";
import { type Operation, respelt, type Spelling, words } from "./forged-operation.ts";

const MAC_BYTES = 64;
const numbers = (length: number): readonly number[] => Array.from({ length }, (_, at) => at);

/** Parts of the signature, and others of its length. */
export function partialSignatures({ encoding }: Signing): readonly Operation[] {
  const bytes = (text: string): Buffer => Buffer.from(text, encoding);
  const printed = (value: Uint8Array): string => Buffer.from(value).toString(encoding);
  const zeros = (text: string): string => printed(Buffer.alloc(bytes(text).length));
  const changed = (text: string, at: number): string => {
    const before = text[at] ?? "";
    const other = before === "0" ? "1" : before === "1" ? "0" : before === "b" ? "c" : "b";
    return text.slice(0, at) + other + text.slice(at + 1);
  };
  // The last place whose bits all count: before the padding, and before what is dropped in decoding.
  const last = (text: string): number => text.replace(/=+$/, "").length - 2;
  return respelt("R-VERIFY-WHOLE", [
    // A signature that is too short for one of them stays genuine, and is left out.
    ...numbers(MAC_BYTES)
      .slice(1)
      .map((length): Spelling => [
        `cut to its first ${length} bytes`,
        (text) => printed(bytes(text).subarray(0, length)),
      ]),
    ...[1, 4, 8, 16, 20, 32].flatMap((length): readonly Spelling[] => [
      [`cut to its first ${length} characters`, (text) => text.slice(0, length)],
      [`cut to its last ${length} characters`, (text) => text.slice(-length)],
      [
        `of ${length} genuine characters, and zeros`,
        (text) => text.slice(0, length) + zeros(text).slice(length),
      ],
      [
        `of zeros, and ${length} genuine characters`,
        (text) => zeros(text).slice(0, -length) + text.slice(-length),
      ],
    ]),
    ["without its ends", (text) => text.slice(8, -8)],
    ...numbers(MAC_BYTES * 2).map((at): Spelling => [
      `with character ${at + 1} changed`,
      (text) => (at > last(text) ? text : changed(text, at)),
    ]),
    ["with its bytes in the opposite order", (text) => printed(bytes(text).toReversed())],
    ["with each bit turned", (text) => printed(bytes(text).map((byte) => byte ^ 0xff))],
    ["with its letters sorted", (text) => text.split("").toSorted().join("")],
    ["of zeros", zeros],
    ["of as many spaces", (text) => " ".repeat(text.length)],
    ["of bytes that are not ASCII", (text) => "\u00ff".repeat(text.length)],
    ["backwards", (text) => text.split("").toReversed().join("")],
    ["within other text", (text) => `cstest${text}cstest`],
    ["after another one", (text) => changed(text, 0) + text],
    ...words("* . _ % ? .* ^ $ ()").map((sign): Spelling => [
      `of wildcards (${sign})`,
      (text) => sign.repeat(text.length / sign.length),
    ]),
    ...(encoding === "hex" ? [] : [["with its letters' case turned", swappedCase] as const]),
  ]);
}

const CANONICAL = "R-VERIFY-CANONICAL";
const withoutPadding = (text: string): string => text.replace(/=+$/, "");
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The last character's low bits are dropped when it is decoded. */
function withOtherBits(text: string): string {
  const bare = withoutPadding(text);
  const last = ALPHABET.indexOf(bare.slice(-1));
  return `${bare.slice(0, -1)}${ALPHABET[last ^ 1] ?? ""}${text.slice(bare.length)}`;
}

const EITHER: readonly Spelling[] = [
  ["with a space in it", (text) => `${text.slice(0, 10)} ${text.slice(10)}`],
  ["with letters after it", (text) => `${text}zz`],
];

const HEX: readonly Spelling[] = [
  ["in capital digits", (text) => text.toUpperCase()],
  ["in base64", (text) => Buffer.from(text, "hex").toString("base64")],
  ["with a digit more", (text) => `${text}0`],
  ["with 0x before it", (text) => `0x${text}`],
];

const BASE64: readonly Spelling[] = [
  ["without its padding", withoutPadding],
  ["with bits that do not count", withOtherBits],
  ["with more after its end", (text) => text + text],
  ["with more padding", (text) => `${text}=`],
  ["with a character of no alphabet in it", (text) => `${text.slice(0, 10)}!${text.slice(10)}`],
  ["in hexadecimal", (text) => Buffer.from(text, "base64").toString("hex")],
  ["in base64url", (text) => withoutPadding(text.replaceAll("+", "-").replaceAll("/", "_"))],
];

/** Texts that a lax decoder reads as the same signature. */
export const otherSpellings = ({ encoding }: Signing): readonly Operation[] =>
  respelt(CANONICAL, [...EITHER, ...(encoding === "hex" ? HEX : BASE64)]);
