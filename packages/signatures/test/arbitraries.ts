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
} from "../src/index.ts";
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
  fc.string({ unit: "binary" }),
);

const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

const noText = fc.oneof(
  fc.array(fc.string(), { maxLength: 3 }),
  fc.constantFrom<unknown>(null, 1, true, {}),
);

const anyValue = fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: noText });

const foreignNames = fc.constantFrom("get", "constructor", "__proto__", "toString", "", "x-other");

/** What becomes of a header on its way: most are left, the others reach each step of reading. */
const fates = fc.oneof(
  { weight: 10, arbitrary: fc.constant({ kind: "kept" } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: "lost" } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: "twice" } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: "replaced", value: "v9,abc" } as const) },
  { weight: 2, arbitrary: anyValue.map((value) => ({ kind: "replaced", value }) as const) },
  { weight: 3, arbitrary: text.map((value) => ({ kind: "longer", value }) as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(1, 8, 100).map((copies) => ({ kind: "many", copies }) as const),
  },
);

type Fate = typeof fates extends fc.Arbitrary<infer One> ? One : never;

function meet(name: string, value: string, fate: Fate): readonly (readonly [string, unknown])[] {
  switch (fate.kind) {
    case "kept":
      return [[name, value]];
    case "lost":
      return [];
    case "twice":
      return [
        [name.toLowerCase(), value],
        [name.toUpperCase(), value],
      ];
    case "replaced":
      return [[name, fate.value]];
    case "longer":
      return [[name, fate.value.startsWith("v") ? `${fate.value} ${value}` : value + fate.value]];
    case "many":
      return [[name, `${value} `.repeat(fate.copies) + value]];
    default:
      return fate satisfies never;
  }
}

/** What a stranger may send to a scheme: a genuine attempt of theirs that met a fate. */
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
    const sent = genuine.flatMap(([name, value], index) =>
      meet(name, value, met[index] ?? { kind: "kept" }),
    );
    const headers = { ...foreign, ...Object.fromEntries(sent) };
    return { pair, headers, body: body ?? message.body };
  });
