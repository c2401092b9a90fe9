import type { Signing } from "../harness/signing.ts";
import { keyOf, op, type Operation } from "./forged-signatures.ts";

const WHOLE = "R-VERIFY-WHOLE";
/** The most bytes of a digest. */
const MAC_BYTES = 64;
type Spelling = readonly [what: string, spell: (text: string) => string];

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
  const numbers = (length: number): readonly number[] => Array.from({ length }, (_, at) => at);
  const all: readonly Spelling[] = [
    // A signature that is too short for one of them stays genuine, and is left out.
    ...numbers(MAC_BYTES)
      .slice(1)
      .map((length): Spelling => [
        `a signature's first ${length} bytes`,
        (text) => cut(text, length),
      ]),
    ...[1, 4, 8, 16, 20, 32].flatMap((length): readonly Spelling[] => [
      [`a signature's first ${length} characters`, (text) => text.slice(0, length)],
      [`a signature's last ${length} characters`, (text) => text.slice(-length)],
      [
        `a signature's first ${length} characters, and zeros`,
        (text) => text.slice(0, length) + zeros(text).slice(length),
      ],
      [
        `zeros, and a signature's last ${length} characters`,
        (text) => zeros(text).slice(0, -length) + text.slice(-length),
      ],
    ]),
    ["a signature's middle", (text) => text.slice(8, -8)],
    ...numbers(MAC_BYTES * 2).map((at): Spelling => [
      `a signature with character ${at + 1} changed`,
      (text) => (at > last(text) ? text : changed(text, at)),
    ]),
    [
      "a signature with its bytes in the opposite order",
      (text) => Buffer.from(bytes(text).toReversed()).toString(signing.encoding),
    ],
    [
      "a signature with each bit turned",
      (text) => Buffer.from(bytes(text).map((byte) => byte ^ 0xff)).toString(signing.encoding),
    ],
    ["a signature of zeros", zeros],
    ["a signature of as many spaces", (text) => " ".repeat(text.length)],
    ["a signature of bytes that are no ASCII", (text) => "\u00ff".repeat(text.length)],
    ["a signature backwards", (text) => text.split("").toReversed().join("")],
    ...["*", ".", "_", "%", "?", ".*", "^", "$", "()"].map((sign): Spelling => [
      `a signature of wildcards (${sign})`,
      (text) => sign.repeat(text.length / sign.length),
    ]),
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
          ["a signature with a digit more", (text) => `${text}0`],
          ["a signature with letters after it", (text) => `${text}zz`],
          ["a signature with 0x before it", (text) => `0x${text}`],
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
