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

const value = fc.oneof(
  { weight: 8, arbitrary: fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")) },
  { weight: 1, arbitrary: fc.array(fc.string(), { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(undefined, null, 1, true, {}) },
);

const name = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom(
      "webhook-id",
      "webhook-timestamp",
      "webhook-signature",
      "Webhook-Id",
      "WEBHOOK-SIGNATURE",
      "X-Signature",
      "x-signature",
      "X-Signature-Timestamp",
      "x-signature-uniqueid",
      "x-webhook-signature",
      "x-webhook-timestamp",
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("get", "constructor", "__proto__", "toString", "") },
);

const parts = fc.dictionary(name, value, { maxKeys: 11, noNullPrototype: false });

/**
 * What a stranger may send to a scheme: a genuine attempt of theirs with parts replaced, so that
 * each step is reached, or nothing but noise.
 */
export const strangers: fc.Arbitrary<{
  readonly pair: Pair;
  readonly headers: Record<string, unknown>;
  readonly body: Uint8Array;
}> = fc
  .record({
    pair: fc.constantFrom(...pairs),
    message: messages,
    isNoise: fc.boolean(),
    parts,
    kept: fc.integer({ min: 0, max: 7 }),
    body: fc.uint8Array(),
  })
  .map(({ pair, message, isNoise, parts: replaced, kept, body }) => {
    if (isNoise) return { pair, headers: replaced, body };
    const genuine = Object.entries(pair.scheme.sign(message, pair.signing));
    const some = genuine.filter((_, index) => (kept & (1 << index)) === 0);
    return { pair, headers: { ...replaced, ...Object.fromEntries(some) }, body };
  });
