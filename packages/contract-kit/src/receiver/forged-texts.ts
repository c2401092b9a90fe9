import { type Base, op, type Operation, type Spelling } from "./forged-parts.ts";
import type { Sender } from "../harness/attempt-sender.ts";
import { withHeader, withSignature } from "../harness/message.ts";

/** The usual size according to Standard Webhooks, in bytes. */
const USUAL_BYTES = 20_000;
/** Places of the body that are changed, one per attempt. */
const PLACES = [1, 2, 3, 4, 5, 6, 7, 8];

export type BodyChange = readonly [
  what: string,
  change: (text: string, base: Base) => string | Uint8Array,
];

/** One change each to a body that keeps its signature. */
export const changedBodies: readonly BodyChange[] = [
  ["a body without its last byte", (text) => text.slice(0, -1)],
  ["an empty body", () => ""],
  ["a body with other data", (text) => text.replace(/"(\w+)":"/, '"$1":"x')],
  [
    "a body with a digit changed in its middle",
    (text) => withOther(text, /\d/g, (digits) => digits >> 1),
  ],
  ["a body with a member more", (text) => text.replace(/\}$/, ',"cstest":1}')],
  [
    "a body with the last letter's case changed",
    (text) => text.replace(/[a-z](?=[^a-z]*$)/, (letter) => letter.toUpperCase()),
  ],
  ...PLACES.map((place): BodyChange => {
    const what = `a body with one letter changed, place ${place}`;
    return [what, (text, { sender }) => withOther(text, LETTERS, placeBy(sender.seed, place))];
  }),
  ["another event's body", (_text, { taken }) => taken.body],
  ["a body with a zero byte and more after it", (text) => `${text}\0 `],
  ["the body twice", (text) => text + text],
  ["an event around the body", (text) => `{"data":${text}}`],
];

/** Steps that have no divisor in common with most lengths, so that places are far apart. */
function placeBy(seed: number, place: number): (letters: number) => number {
  return (letters) => ((seed * PLACES.length + place - 1) * 7919) % letters;
}

/** What is sent instead of a signed body, and decoders or JSON libraries read as the same. */
export const misreadBodies: readonly BodyChange[] = [
  ["a space at the end that was not signed", (text) => `${text} `],
  ["a line break at the end that was not signed", (text) => `${text}\n`],
  ["a space at the beginning that was not signed", (text) => ` ${text}`],
  [
    "spaces between members that were not signed",
    (text) => JSON.stringify(JSON.parse(text), null, 2),
  ],
  [
    "members in another order than the signed one",
    (text) =>
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text) as object).toReversed())),
  ],
  [
    "an escaped letter that was signed as itself",
    (text) => text.replace("cstest", String.raw`\u0063stest`),
  ],
  ["UTF-16 for a body that was signed in UTF-8", (text) => Buffer.from(text, "utf16le")],
  ["a form around a body that was signed", (text) => `payload=${encodeURIComponent(text)}`],
];

/** Bytes that decoders replace by other ones, and these: only hygiene, since no sender signs such a body. */
export const laxBytes: readonly (readonly [what: string, sent: number, signed: string])[] = [
  ["a byte that is no UTF-8 for a signed U+FFFD", 0xff, "\uFFFD"],
  ["a lone continuation byte for a signed U+FFFD", 0x80, "\uFFFD"],
  ["the byte of latin-1 for a signed letter", 0xe9, "é"],
];

/** The body with a new member whose value has these bytes. */
export function withBytes(text: string, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from('{"cstest":"'), bytes, Buffer.from(`",${text.slice(1)}`)]);
}

/** A body of that many bytes whose last letter is not the signed one, and the signed one. */
export function longBodies(text: string, bytes: number = USUAL_BYTES): readonly [string, string] {
  // Spaces, since another member would belong to another requirement.
  const long = text.replace("{", `{${" ".repeat(Math.max(0, bytes - text.length))}`);
  return [long, withOther(long, LETTERS, (letters) => letters - 1)];
}

const LETTERS = /(?<=:"[^"]*)[a-z]/g;

/** With one of the characters that fit a pattern replaced by its neighbour. */
function withOther(body: string, pattern: RegExp, choose: (count: number) => number): string {
  const places = [...body.matchAll(pattern)];
  const place = places[choose(places.length)];
  if (place === undefined) return `${body} `;
  const code = body.codePointAt(place.index) ?? 0;
  const other = String.fromCodePoint(/[z9]/.test(place[0]) ? code - 1 : code + 1);
  return body.slice(0, place.index) + other + body.slice(place.index + 1);
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
export function timesOf({ signing, target }: Sender): readonly Operation[] {
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
