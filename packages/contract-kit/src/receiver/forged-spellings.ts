import type { Signing } from "../harness/signing.ts";
import { keyOf, op, type Operation } from "./forged-signatures.ts";

const WHOLE = "R-VERIFY-WHOLE";
type Spelling = readonly [what: string, spell: (text: string) => string];

/** Lengths in bytes of signatures that are cut short. */
const LENGTHS = [1, 4, 8, 10, 12, 16, 20, 24, 28];

/** Parts of the signature, and others of its length. */
export function partialSignatures(signing: Signing): readonly Operation[] {
  const isHex = signing.encoding === "hex";
  const bytes = (text: string): Buffer => Buffer.from(text, signing.encoding);
  const cut = (text: string, length: number): string =>
    bytes(text).subarray(0, length).toString(signing.encoding);
  const zeros = (text: string): string =>
    Buffer.alloc(bytes(text).length).toString(signing.encoding);
  const changed = (text: string, at: number): string => {
    const before = text[at] ?? "";
    const other = before === "0" ? "1" : before === "1" ? "0" : before === "b" ? "c" : "b";
    return text.slice(0, at) + other + text.slice(at + 1);
  };
  // The last place whose bits all count: before the padding, and before what is dropped in decoding.
  const last = (text: string): number => text.replace(/=+$/, "").length - 2;
  const all: readonly Spelling[] = [
    ...[1, 4, 8, 16, 20, 32].map((length): Spelling => [
      `a signature's first ${length} characters`,
      (text) => text.slice(0, length),
    ]),
    ...LENGTHS.map((length): Spelling => [
      `a signature's first ${length} bytes`,
      (text) => (bytes(text).length > length ? cut(text, length) : ""),
    ]),
    ["a signature without its last byte", (text) => cut(text, bytes(text).length - 1)],
    ["a signature without its first bytes", (text) => text.slice(4)],
    [
      "a signature's first 8 characters, and zeros",
      (text) => text.slice(0, 8) + zeros(text).slice(8),
    ],
    [
      "zeros, and a signature's last 8 characters",
      (text) => zeros(text).slice(0, -8) + text.slice(-8),
    ],
    ...[0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9].map((share): Spelling => [
      `a signature with a character changed at ${share * 100} %`,
      (text) => changed(text, Math.floor(share * (text.length - 3))),
    ]),
    ["a signature with its last byte changed", (text) => changed(text, last(text))],
    ["a signature of zeros", zeros],
    ["a signature of as many spaces", (text) => " ".repeat(text.length)],
    ["a signature of bytes that are no ASCII", (text) => "\u00ff".repeat(text.length)],
    ["a signature backwards", (text) => text.split("").toReversed().join("")],
    ["a signature of wildcards", (text) => "*".repeat(text.length)],
    ...(isHex ? [] : [["a signature with its letters' case turned", withCaseTurned] as const]),
  ];
  return all.map(([what, spell]) => respelt(WHOLE, what, spell));
}

/** With the signature's text spelt otherwise. */
function respelt(requirement: string, what: string, spell: Spelling[1]): Operation {
  return op(requirement, what, ({ sender, attempt }) =>
    sender.signing.withSignature(attempt, spell),
  );
}

function withCaseTurned(text: string): string {
  return text.replaceAll(/[a-z]+|[A-Z]+/g, (found) =>
    found === found.toUpperCase() ? found.toLowerCase() : found.toUpperCase(),
  );
}

const CANONICAL = "R-VERIFY-CANONICAL";

/** Texts that a lax decoder reads as the same bytes. */
export function spelledSignatures({ encoding }: Signing): readonly Operation[] {
  const all: readonly Spelling[] =
    encoding === "hex"
      ? [
          ["a signature in capital digits", (text) => text.toUpperCase()],
          ["a signature in base64", (text) => Buffer.from(text, "hex").toString("base64")],
        ]
      : [
          ["a signature without its padding", withoutPadding],
          ["a signature with bits that do not count", withOtherBits],
          ["a signature with more after its end", (text) => text + text],
          ["a signature with more padding", (text) => `${text}=`],
          [
            "a signature with a character of no alphabet in it",
            (text) => `${text.slice(0, 10)}!${text.slice(10)}`,
          ],
          ["a signature in hexadecimal", (text) => Buffer.from(text, "base64").toString("hex")],
          [
            "a signature in base64url",
            (text) => withoutPadding(text.replaceAll("+", "-").replaceAll("/", "_")),
          ],
        ];
  return all.map(([what, spell]) => respelt(CANONICAL, what, spell));
}

const withoutPadding = (text: string): string => text.replace(/=+$/, "");

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The last character's low bits are dropped when it is decoded. */
function withOtherBits(text: string): string {
  const bare = withoutPadding(text);
  const last = ALPHABET.indexOf(bare.slice(-1));
  return `${bare.slice(0, -1)}${ALPHABET[last ^ 1] ?? ""}${text.slice(bare.length)}`;
}

const TIMES: readonly Spelling[] = [
  ["with a fraction", (digits) => `${digits}.0`],
  ["with a sign", (digits) => `+${digits}`],
  ["with a zero before it", (digits) => `0${digits}`],
  ["as a power of ten", (digits) => `${digits}e0`],
  ["in hexadecimal digits", (digits) => `0x${Number(digits).toString(16)}`],
  ["with letters after it", (digits) => `${digits}abc`],
  ["with a line between its digits", (digits) => `${digits.slice(0, 4)}_${digits.slice(4)}`],
];

/** Times that only some languages read as numbers: signed so, and changed after signing. */
export function spelledTimes({ withTime }: Signing): readonly Operation[] {
  if (withTime === undefined) return [];
  return TIMES.flatMap(([what, spell]) => [
    op(CANONICAL, `a time ${what} that was not signed so`, ({ attempt }) =>
      withTime(attempt, spell),
    ),
    op(CANONICAL, `a time ${what}, genuinely signed`, ({ sender, attempt }) => {
      const key = keyOf(sender);
      return key && sender.signedBy(withTime(attempt, spell), key);
    }),
  ]);
}
