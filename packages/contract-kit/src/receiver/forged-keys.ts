import { generateKeyPairSync, sign as signBytes } from "node:crypto";
import { secretTexts } from "../harness/message.ts";
import type { Sender } from "../harness/sender.ts";
import { type Base, op, type Operation } from "./forged-signatures.ts";

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
export function knownKeys({ secrets, signing, url }: Sender): readonly Operation[] {
  if (!signing.isShared) return [];
  const [secret] = secrets;
  const own = secrets.map((one) => Buffer.from(signing.keyOf(one) ?? []));
  const wrong = (what: string, key: Key): readonly Operation[] =>
    own.some((one) => one.equals(Buffer.from(key)))
      ? []
      : [op("R-VERIFY-WRONG-KEY", `an attempt that ${what} signed`, (base) => signedBy(base, key))];
  const along = (name: string, key: (base: Base) => Key): Operation =>
    op(OWN_KEYS, `an attempt with ${name} as the key`, (base) => signedBy(base, key(base)));
  const published = Object.values(PUBLISHED)
    .flat()
    .flatMap((text) => [
      ...wrong(`the example secret ${text}, as text,`, text),
      ...(text.startsWith("whsec_") && text.length > 16
        ? wrong(`the example secret ${text}`, Buffer.from(text.slice("whsec_".length), "base64"))
        : []),
    ]);
  const misread =
    secret === undefined || signing.keyOf(secret) === undefined ? [] : secretTexts(secret);
  return [
    ...wrong("the empty key", ""),
    ...[1, 16, 24, 32, 64].flatMap((length) =>
      wrong(`a key of ${length} zeros`, new Uint8Array(length)),
    ),
    ...UNSET.flatMap((key) => wrong(`the key ${JSON.stringify(key)}`, key)),
    ...published,
    ...misread.flatMap((key) => wrong("the secret's text, in the place of its bytes,", key)),
    ...publicKeys(secrets).flatMap(([what, key]) =>
      wrong(`${what}, as if it were a shared secret,`, key),
    ),
    along("its id", ({ attempt }) => attempt.event.id),
    along("its time", ({ timestamp }) => String(timestamp)),
    along("its body", ({ attempt }) => attempt.body),
    along("its type", ({ attempt }) => attempt.event.type),
    along("its host", () => url.host),
    ...keysAlong(signing),
  ];
}

const signedBy = ({ sender, attempt }: Base, key: Key) => sender.signedBy(attempt, key);

const OWN_KEYS = "R-VERIFY-OWN-KEYS";
const KEY = "a key sent with the attempt";
/** Headers that carry a key, or name one. */
const KEY_HEADERS = (
  "Webhook-Secret Webhook-Key X-Webhook-Secret X-Webhook-Key X-Secret X-Key Authorization X-Api-Key X-Signature-Key " +
  "X-Signing-Secret X-Signing-Key X-Hmac-Key"
).split(" ");
/** Headers and parameters that choose a tenant, whose key is missing if it is unknown. */
const TENANTS = (
  "X-Tenant-Id X-Tenant X-Account-Id X-Account X-Merchant-Id X-Client-Id X-App-Id X-Shop-Id X-Store-Id X-Project-Id " +
  "X-Organization-Id X-Customer-Id X-User-Id X-Key-Id X-Webhook-Key-Id Webhook-Key-Id"
).split(" ");

/** The attempt contains the key, or names one that does not exist. */
function keysAlong(signing: Sender["signing"]): readonly Operation[] {
  const carried = KEY_HEADERS.flatMap((name) => {
    const bearer = name === "Authorization" ? "Bearer " : "";
    const text = signing.stranger("sent along");
    const forms: readonly (readonly [form: string, sent: string, key: Key])[] = [
      ["text", KEY, KEY],
      ["the scheme's form", text, signing.keyOf(text) ?? ""],
    ];
    return forms.flatMap(([form, sent, key]) => [
      op(OWN_KEYS, `an attempt with its own key in ${name}, as ${form}`, (base) => {
        const signed = signedBy(base, key);
        return signed && { ...signed, headers: [...signed.headers, [name, bearer + sent]] };
      }),
    ]);
  });
  const inQuery = ["secret", "key", "signing_secret", "webhook_secret", "token"].map((name) =>
    op(OWN_KEYS, `an attempt with its own key as the parameter ${name}`, (base) => {
      const signed = signedBy(base, KEY);
      return signed && withQuery(signed, `${name}=${encodeURIComponent(KEY)}`);
    }),
  );
  const unknown = ["", "undefined", "null", "None"].map((key) =>
    op(OWN_KEYS, `an attempt of an unknown tenant that the key "${key}" signed`, (base) => {
      const signed = signedBy(base, key);
      const headers = TENANTS.map((name) => [name, "cstest-unknown"] as const);
      return signed && { ...signed, headers: [...signed.headers, ...headers] };
    }),
  );
  const own = [...carried, ...inQuery, ...unknown];
  const { carrier } = signing.provider.signature;
  if (!carrier.some(({ algorithm }) => algorithm === "ed25519")) return own;
  const asymmetric = op(OWN_KEYS, "an attempt with its own public key", ({ sender, attempt }) => {
    const text = sender.textOf(attempt, Buffer.alloc(0));
    if (text === undefined) return undefined;
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const signature = signBytes(null, text, privateKey).toString("base64");
    const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
    const signed = signing.withCarrier(attempt, () => `v1a,${signature}`);
    const header = ["Webhook-Public-Key", `whpk_${raw.toString("base64")}`] as const;
    return { ...signed, headers: [...signed.headers, header] };
  });
  return [...own, asymmetric];
}

/** An attempt with another query, which no signature covers that does not cover the URL. */
export function withQuery<T extends { readonly path?: string }>(attempt: T, query: string): T {
  const { path = "/" } = attempt;
  return { ...attempt, path: `${path}${path.includes("?") ? "&" : "?"}${query}` };
}

/** A public key is public: a receiver that uses it as a shared secret accepts anyone's attempts. */
function publicKeys(secrets: Sender["secrets"]): readonly (readonly [what: string, key: Key])[] {
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
