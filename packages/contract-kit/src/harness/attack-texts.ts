import { op, type Operation, type Spelling } from "./attack-parts.ts";
import type { Attempt, Bench } from "./bench.ts";
import { withHeader, withSignature } from "./message.ts";

export interface BodyChange {
  readonly taken: Attempt;
  readonly seed: number;
}

/** The usual size according to Standard Webhooks, in bytes. */
const USUAL_BYTES = 20_000;
/** Places of the body that are changed, one per attempt. */
const PLACES = 8;

/** One change each to a body that keeps its signature. */
export const changedBodies: readonly (readonly [
  what: string,
  change: (text: string, how: BodyChange) => string | Uint8Array,
])[] = [
  ["a body without its last byte", (text) => text.slice(0, -1)],
  ["an empty body", () => ""],
  ["a body with other data", (text) => text.replace(/"(\w+)":"/, '"$1":"x')],
  ["a body with a digit changed in its middle", (text) => changedDigit(text)],
  ["a body with a member more", (text) => text.replace(/\}$/, ',"cstest":1}')],
  [
    "a body with the last letter's case changed",
    (text) => text.replace(/[a-z](?=[^a-z]*$)/, (letter) => letter.toUpperCase()),
  ],
  ...Array.from(
    { length: PLACES },
    (_, place) =>
      [
        `a body with one letter changed, place ${place + 1}`,
        // Steps that have no divisor in common with most lengths, so that places are far apart.
        (text: string, { seed }: BodyChange) =>
          withOtherLetter(text, (letters) => ((seed * PLACES + place) * 7919) % letters),
      ] as const,
  ),
  ["another event's body", (_text, { taken }) => taken.body],
  ["a body with a zero byte and more after it", (text) => `${text}\0 `],
  ["the body twice", (text) => text + text],
  ["an event around the body", (text) => `{"data":${text}}`],
];

/** A signed body, and another one that is sent instead and that decoders or JSON libraries read the same. */
export const misreadBodies: readonly (readonly [
  what: string,
  sign: (text: string) => string,
  send: (text: string) => string | Uint8Array,
])[] = [
  ["a space at the end that was not signed", same, (text) => `${text} `],
  ["a line break at the end that was not signed", same, (text) => `${text}\n`],
  ["a space at the beginning that was not signed", same, (text) => ` ${text}`],
  [
    "spaces between members that were not signed",
    same,
    (text) => JSON.stringify(JSON.parse(text), null, 2),
  ],
  [
    "members in another order than the signed one",
    same,
    (text) =>
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text) as object).toReversed())),
  ],
  [
    "an escaped letter that was signed as itself",
    same,
    (text) => text.replace("cstest", String.raw`\u0063stest`),
  ],
  ["UTF-16 for a body that was signed in UTF-8", same, (text) => Buffer.from(text, "utf16le")],
  ["a form around a body that was signed", same, (text) => `payload=${encodeURIComponent(text)}`],
];

/** The same with bytes that decoders replace or drop: only hygiene, since no sender signs such a body. */
export const laxBodies: typeof misreadBodies = [
  ["a byte order mark that was not signed", same, (text) => `\uFEFF${text}`],
  ["a byte that is no UTF-8 for a signed U+FFFD", added("\uFFFD"), addedBytes([0xff])],
  ["a lone continuation byte for a signed U+FFFD", added("\uFFFD"), addedBytes([0x80])],
  ["the byte of latin-1 for a signed letter", added("é"), addedBytes([0xe9])],
];

function same(text: string): string {
  return text;
}

function added(value: string): (text: string) => string {
  return (text) => text.replace("{", `{"cstest":"${value}",`);
}

function addedBytes(bytes: readonly number[]): (text: string) => Buffer {
  return (text) =>
    Buffer.concat([
      Buffer.from('{"cstest":"'),
      Buffer.from(bytes),
      Buffer.from(`",${text.slice(1)}`),
    ]);
}

/** A body of that many bytes whose last letter is not the signed one, and the signed one. */
export function longBodies(text: string, bytes: number = USUAL_BYTES): readonly [string, string] {
  // Spaces, since another member would belong to another requirement.
  const long = text.replace("{", `{${" ".repeat(Math.max(0, bytes - text.length))}`);
  return [long, withOtherLetter(long, (letters) => letters - 1)];
}

function withOtherLetter(body: string, choose: (letters: number) => number): string {
  const letters = [...body.matchAll(/(?<=:"[^"]*)[a-z]/g)];
  const letter = letters[choose(letters.length)];
  if (letter === undefined) return `${body} `;
  return body.slice(0, letter.index) + otherLetter(letter[0]) + body.slice(letter.index + 1);
}

function otherLetter(letter: string): string {
  return letter === "z" ? "a" : String.fromCodePoint((letter.codePointAt(0) ?? 0) + 1);
}

function changedDigit(text: string): string {
  const digits = [...text.matchAll(/\d/g)];
  const middle = digits[digits.length >> 1];
  if (middle === undefined) return `${text.slice(0, -1)},"1":1}`;
  const other = middle[0] === "9" ? "8" : String(Number(middle[0]) + 1);
  return text.slice(0, middle.index) + other + text.slice(middle.index + 1);
}

/** Texts that a lax decoder reads as the same bytes. */
export function spellings(isHex: boolean): readonly Spelling[] {
  if (isHex)
    return [
      ["a signature in capital digits", (text) => text.toUpperCase()],
      ["a signature in base64", (text) => Buffer.from(text, "hex").toString("base64")],
    ];
  return [
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
      (text) => text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""),
    ],
  ];
}

const withoutPadding = (text: string): string => text.replace(/=+$/, "");

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The last character's low bits are dropped when it is decoded. */
function withOtherBits(text: string): string {
  const bare = withoutPadding(text);
  const last = ALPHABET.indexOf(bare.slice(-1));
  return `${bare.slice(0, -1)}${ALPHABET[last ^ 1] ?? ""}${text.slice(bare.length)}`;
}

const TIMES: readonly (readonly [what: string, spell: (digits: string) => string])[] = [
  ["with a fraction", (digits) => `${digits}.0`],
  ["with a sign", (digits) => `+${digits}`],
  ["with a zero before it", (digits) => `0${digits}`],
  ["as a power of ten", (digits) => `${digits}e0`],
  ["in hexadecimal digits", (digits) => `0x${Number(digits).toString(16)}`],
  ["with letters after it", (digits) => `${digits}abc`],
  ["with a line between its digits", (digits) => `${digits.slice(0, 4)}_${digits.slice(4)}`],
];

/** Times that only some languages read as numbers: signed so, and changed after signing. */
export function timesOf({ signing, target }: Bench): readonly Operation[] {
  const { withTime, covers, names } = signing;
  if (withTime === undefined || !covers.timestamp) return [];
  const [secret] = target.secrets;
  const key = secret === undefined ? undefined : signing.keyOf(secret);
  return TIMES.flatMap(([what, spell]) => [
    op("R-VERIFY-CANONICAL", `a time ${what} that was not signed so`, ({ attempt }) => ({
      headers: withTime(attempt.headers, spell),
    })),
    op("R-VERIFY-CANONICAL", `a time ${what}, genuinely signed`, (base) => {
      if (key === undefined) return undefined;
      const { event, headers, body } = base.attempt;
      const spelt = spell(String(base.timestamp));
      const text = signing.textOf({ id: event.id, timestamp: spelt, body });
      const mac = signing.mac(text, key).toString(signing.encoding);
      const timed = withTime(headers, () => spelt);
      return {
        headers: withHeader(timed, names.signature, (value) => withSignature(value, () => mac)),
      };
    }),
  ]);
}
