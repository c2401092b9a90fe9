import { generateKeyPairSync, sign as signBytes } from "node:crypto";
import { type Base, macOf, op, type Operation, signedBy } from "./attack-parts.ts";
import type { Bench } from "./bench.ts";
import { textsOf, withHeader } from "./message.ts";

interface KnownKey {
  readonly requirement: string;
  readonly what: string;
  readonly keyOf: (base: Base) => Uint8Array | string;
}

/** Secrets that documentation prints, by the page: programs are deployed with them. */
const PUBLISHED: Readonly<Record<string, readonly string[]>> = {
  "https://docs.svix.com/receiving/verifying-payloads/how": [
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  ],
  "https://github.com/standard-webhooks/standard-webhooks": [
    "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
  ],
  "https://docs.svix.com/receiving/verifying-payloads/how-manual": [
    "whsec_plJ3nmyCDGBKInavdOK15jsl",
  ],
  "https://github.com/stripe/stripe-node#testing-webhook-signing": ["whsec_test_secret"],
  "https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries": [
    "It's a Secret to Everybody",
  ],
  "https://jwt.io/": ["your-256-bit-secret"],
  "https://docs.stripe.com/webhooks/quickstart": ["whsec_...", "whsec_"],
  "https://cwe.mitre.org/data/definitions/798.html":
    "secret test your-webhook-secret webhook_secret".split(" "),
  "https://cwe.mitre.org/data/definitions/1392.html": ["changeme", "password", "default"],
  "https://cwe.mitre.org/data/definitions/489.html": ["dev"],
};

/** Texts that programs print for a key that is not set. */
const UNSET = ["undefined", "null", "None", "nil", "false", "0", "[object Object]", "NaN"];

/** Keys known from documentation or from the attempt itself. */
export function knownKeys(bench: Bench): readonly KnownKey[] {
  const { target, signing } = bench;
  const [secret] = target.secrets;
  const own = target.secrets.map((one) => signing.keyOf(one) ?? Buffer.alloc(0));
  const isOwn = (key: Uint8Array | string): boolean =>
    own.some((one) => Buffer.from(one).equals(Buffer.from(key)));
  const wrong = (what: string, key: Uint8Array | string): readonly KnownKey[] => {
    const known = { what: `an attempt that ${what} signed`, keyOf: () => key };
    return isOwn(key) ? [] : [{ requirement: "R-VERIFY-WRONG-KEY", ...known }];
  };
  const along = (name: string, keyOf: KnownKey["keyOf"]): KnownKey => {
    return { requirement: "R-VERIFY-OWN-KEYS", what: `an attempt with ${name} as the key`, keyOf };
  };
  const published = Object.values(PUBLISHED)
    .flat()
    .flatMap((text) => [
      ...wrong(`the example secret ${text}, as text,`, text),
      ...(text.startsWith("whsec_") && text.length > 16
        ? wrong(`the example secret ${text}`, Buffer.from(text.slice("whsec_".length), "base64"))
        : []),
    ]);
  const misread =
    secret === undefined || signing.keyOf(secret) === undefined ? [] : textsOf(secret);
  return [
    ...wrong("the empty key", ""),
    ...[1, 16, 24, 32, 64].flatMap((length) =>
      wrong(`a key of ${length} zeros`, new Uint8Array(length)),
    ),
    ...UNSET.flatMap((key) => wrong(`the key ${JSON.stringify(key)}`, key)),
    ...published,
    ...misread.flatMap((key) => wrong("the secret's text, in the place of its bytes,", key)),
    ...publicKeys(target.secrets).flatMap(([what, key]) =>
      wrong(`${what}, as if it were a shared secret,`, key),
    ),
    along("its id", ({ event }) => event.id),
    along("its time", ({ timestamp }) => String(timestamp)),
    along("its body", ({ event }) => event.body),
    along("its type", ({ event }) => event.type),
    along("its host", (base) => base.bench.target.wire.url.host),
  ];
}

const KEY = "a key sent with the attempt";
const KEY_HEADERS =
  "Webhook-Secret Webhook-Key X-Webhook-Secret X-Secret X-Key Authorization X-Api-Key X-Signature-Key".split(
    " ",
  );

/** The attempt contains the key, where libraries of other schemes read it. */
export function keysAlong({ signing: { names } }: Bench): readonly Operation[] {
  const carried = KEY_HEADERS.map((name) =>
    op("R-VERIFY-OWN-KEYS", `an attempt with its own key in ${name}`, (base) => {
      const { headers: signed = [] } =
        signedBy(base, (text) => macOf(base, { text, key: KEY })) ?? {};
      const value = name === "Authorization" ? `Bearer ${KEY}` : KEY;
      return { headers: [...signed, [name, value]] };
    }),
  );
  if (names.signature !== "webhook-signature") return carried;
  return [
    ...carried,
    op("R-VERIFY-OWN-KEYS", "an attempt with its own public key", (base) => {
      const { event, attempt, timestamp } = base;
      const { privateKey, publicKey } = generateKeyPairSync("ed25519");
      const text = `${event.id}.${timestamp}.${event.body.toString()}`;
      const signature = signBytes(null, Buffer.from(text), privateKey).toString("base64");
      const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
      const signed = withHeader(attempt.headers, names.signature, () => `v1a,${signature}`);
      return { headers: [...signed, ["Webhook-Public-Key", `whpk_${raw.toString("base64")}`]] };
    }),
  ];
}

/** A public key is public: a receiver that uses it as a shared secret accepts anyone's attempts. */
function publicKeys(
  secrets: Bench["target"]["secrets"],
): readonly (readonly [what: string, key: Uint8Array | string])[] {
  const [secret] = secrets;
  if (typeof secret !== "string" || !secret.startsWith("whsk_")) return [];
  const bytes = Buffer.from(secret.slice("whsk_".length), "base64");
  // A seed without its public key is skipped; with both, the public key is the second half.
  if (bytes.length !== 64) return [];
  const raw = bytes.subarray(32);
  const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), raw]);
  const pem = `-----BEGIN PUBLIC KEY-----\n${spki.toString("base64")}\n-----END PUBLIC KEY-----\n`;
  return [
    ["the public key's bytes", raw],
    ["the public key's text", `whpk_${raw.toString("base64")}`],
    ["the public key in DER", spki],
    ["the public key in PEM", pem],
  ];
}
