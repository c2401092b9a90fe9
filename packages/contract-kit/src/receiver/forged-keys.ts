import { generateKeyPairSync, sign as signBytes } from "node:crypto";
import { type Base, op, type Operation, signedBy } from "./forged-parts.ts";
import type { Sender } from "../harness/attempt-sender.ts";
import { textsOf, withHeader } from "../harness/message.ts";

type Key = Uint8Array | string;

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

/** Attempts that are signed by keys known from documentation or from the attempt itself. */
export function knownKeys({ target, signing }: Sender): readonly Operation[] {
  const [secret] = target.secrets;
  const own = target.secrets.map((one) => Buffer.from(signing.keyOf(one) ?? []));
  const wrong = (what: string, key: Key): readonly Operation[] =>
    own.some((one) => one.equals(Buffer.from(key)))
      ? []
      : [op("R-VERIFY-WRONG-KEY", `an attempt that ${what} signed`, (base) => signedBy(base, key))];
  const along = (name: string, keyOf: (base: Base) => Key): Operation =>
    op(OWN_KEYS, `an attempt with ${name} as the key`, (base) => signedBy(base, keyOf(base)));
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
    along("its id", ({ attempt }) => attempt.event.id),
    along("its time", ({ timestamp }) => String(timestamp)),
    along("its body", ({ attempt }) => attempt.body),
    along("its type", ({ attempt }) => attempt.event.type),
    along("its host", () => target.sockets.url.host),
    ...keysAlong(signing.names.signature),
  ];
}

const OWN_KEYS = "R-VERIFY-OWN-KEYS";
const KEY = "a key sent with the attempt";
const KEY_HEADERS =
  "Webhook-Secret Webhook-Key X-Webhook-Secret X-Secret X-Key Authorization X-Api-Key X-Signature-Key".split(
    " ",
  );

/** The attempt contains the key, where libraries of other schemes read it. */
function keysAlong(signatureName: string): readonly Operation[] {
  const carried = KEY_HEADERS.map((name) =>
    op(OWN_KEYS, `an attempt with its own key in ${name}`, (base) => {
      const { headers = [] } = signedBy(base, KEY);
      return { headers: [...headers, [name, name === "Authorization" ? `Bearer ${KEY}` : KEY]] };
    }),
  );
  if (signatureName !== "webhook-signature") return carried;
  const asymmetric = op(OWN_KEYS, "an attempt with its own public key", (base) => {
    const { headers, event } = base.attempt;
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const text = `${event.id}.${base.timestamp}.${event.text}`;
    const signature = signBytes(null, Buffer.from(text), privateKey).toString("base64");
    const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
    const signed = withHeader(headers, signatureName, () => `v1a,${signature}`);
    return { headers: [...signed, ["Webhook-Public-Key", `whpk_${raw.toString("base64")}`]] };
  });
  return [...carried, asymmetric];
}

/** A public key is public: a receiver that uses it as a shared secret accepts anyone's attempts. */
function publicKeys(
  secrets: Sender["target"]["secrets"],
): readonly (readonly [what: string, key: Key])[] {
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
