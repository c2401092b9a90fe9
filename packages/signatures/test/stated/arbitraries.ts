import fc from "fast-check";
import {
  bodyHmac,
  describedHmac,
  type HmacDescription,
  hmacPresets,
  type Message,
  type Secret,
  type SignatureScheme,
  standardWebhooks,
  timestampedHmac,
  xSignature,
} from "../../src/stated/index.ts";
import { NOW_SECONDS, OTHER_SECRET, PRIVATE_KEY, PUBLIC_KEY, SECRET } from "./attempts.ts";

/** A scheme with secrets of both sides. */
export interface Pair {
  readonly scheme: SignatureScheme;
  readonly signing: readonly Secret[];
  readonly verifying: readonly Secret[];
}

const list: HmacDescription = {
  ...hmacPresets.xSignature,
  name: "list",
  form: { kind: "list", prefix: "v1,", separator: " " },
};

function shared(scheme: SignatureScheme): Pair {
  return { scheme, signing: [SECRET], verifying: [OTHER_SECRET, SECRET] };
}

/** Every form of scheme that the package has. */
export const pairs: readonly Pair[] = [
  shared(standardWebhooks()),
  { scheme: standardWebhooks(), signing: [PRIVATE_KEY], verifying: [PUBLIC_KEY] },
  {
    scheme: standardWebhooks(),
    signing: [SECRET, PRIVATE_KEY],
    verifying: [OTHER_SECRET, PUBLIC_KEY],
  },
  shared(xSignature()),
  shared(timestampedHmac({ header: "X-Signature" })),
  shared(bodyHmac({ header: "X-Signature", prefix: "sha256=" })),
  shared(describedHmac(hmacPresets.unseparated)),
  shared(describedHmac(list)),
];

const ID_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-".split("");

export const ids: fc.Arbitrary<string> = fc.string({
  unit: fc.constantFrom(...ID_CHARACTERS),
  minLength: 1,
  maxLength: 256,
});

/** Messages that every scheme can sign and that are new enough. */
export const messages: fc.Arbitrary<Message> = fc.record({
  id: ids,
  timestamp: fc.integer({ min: NOW_SECONDS - 300, max: NOW_SECONDS + 300 }),
  body: fc.uint8Array(),
});

const piece = fc.oneof(
  fc.constantFrom("v1,", "v1a,", "v2,", "v1", ",", ", ", " ", ".", "=", "t=", "v1=", "sha256="),
  fc.constantFrom("\0", "\n", "\u00e9", "\ud800", "٣", "\uFEFF", "%", "__proto__"),
  fc.base64String({ maxLength: 90 }),
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef".split("")), maxLength: 70 }),
  fc.constantFrom(Buffer.alloc(32, 1).toString("base64"), Buffer.alloc(64, 2).toString("base64")),
  fc.constantFrom(String(NOW_SECONDS), "-1", "1e9", "9".repeat(400)),
  // Not `binary`, which takes seconds to build.
  fc.array(fc.integer({ min: 0, max: 0x10_ffff })).map((points) => String.fromCodePoint(...points)),
);

const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

const noText = fc.oneof(
  fc.array(fc.string(), { maxLength: 3 }),
  fc.constantFrom<unknown>(null, 1, true, {}),
);

const anyValue = fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: noText });

const foreignNames = fc.constantFrom("get", "constructor", "__proto__", "toString", "", "x-other");

/** Changes a header on its way: most are left, the others reach each step of reading. */
type Fate = (name: string, value: string) => readonly (readonly [string, unknown])[];
const kept: Fate = (name, value) => [[name, value]];
const twice: Fate = (name, value) => [
  [name.toLowerCase(), value],
  [name.toUpperCase(), value],
];
const replaced =
  (other: unknown): Fate =>
  (name) => [[name, other]];
const longer =
  (more: string): Fate =>
  (name, value) => [[name, more.startsWith("v") ? `${more} ${value}` : value + more]];
const repeated =
  (copies: number): Fate =>
  (name, value) => [[name, `${value} `.repeat(copies) + value]];

const fates: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 10, arbitrary: fc.constant(kept) },
  { weight: 1, arbitrary: fc.constant<Fate>(() => []) },
  { weight: 1, arbitrary: fc.constant(twice) },
  { weight: 1, arbitrary: fc.constant(replaced("v9,abc")) },
  { weight: 2, arbitrary: anyValue.map(replaced) },
  { weight: 3, arbitrary: text.map(longer) },
  { weight: 1, arbitrary: fc.constantFrom(1, 8, 100).map(repeated) },
);

/** Attempts of a stranger: a genuine attempt of theirs that was then changed. */
export const strangers: fc.Arbitrary<{
  readonly pair: Pair;
  readonly headers: Record<string, unknown>;
  readonly body: Uint8Array;
}> = fc
  .record({
    pair: fc.constantFrom(...pairs),
    message: messages,
    ahead: fc.constantFrom(0, 0, 0, -700, 700),
    fates: fc.tuple(fates, fates, fates),
    foreign: fc.dictionary(foreignNames, anyValue, { maxKeys: 3, noNullPrototype: false }),
    body: fc.option(fc.uint8Array()),
  })
  .map(({ pair, message, ahead, fates: met, foreign, body }) => {
    const timestamp = message.timestamp + ahead;
    const genuine = Object.entries(pair.scheme.sign({ ...message, timestamp }, pair.signing));
    const sent = genuine.flatMap(([name, value], index) => (met[index] ?? kept)(name, value));
    const headers = { ...foreign, ...Object.fromEntries(sent) };
    return { pair, headers, body: body ?? message.body };
  });
