import { op, type Operation } from "./attack-parts.ts";
import type { Bench } from "./bench.ts";
import { withHeader, withSignature } from "./request.ts";

type Spelling = readonly [what: string, spell: (mac: string) => string];

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

function withoutPadding(text: string): string {
  return text.replace(/=+$/, "");
}

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
    op(
      "R-VERIFY-CANONICAL",
      `a time ${what}, genuinely signed`,
      ({ attempt, event, timestamp }) => {
        if (key === undefined) return undefined;
        const spelt = spell(String(timestamp));
        const mac = signing.mac({ id: event.id, timestamp: spelt, body: event.body }, { key });
        const timed = withTime(attempt.headers, () => spelt);
        return {
          headers: withHeader(timed, names.signature, (value) => withSignature(value, () => mac)),
        };
      },
    ),
  ]);
}
