import { createHash, generateKeyPairSync, sign as signBytes } from "node:crypto";
import type { Attempt } from "../harness/attempt-maker.ts";
import { secretTexts } from "../harness/message.ts";
import { RequestDraft } from "../harness/request-draft.ts";
import type { Sender } from "../harness/sender.ts";
import { isRecord, parseJson } from "../values.ts";
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
  "https://cwe.mitre.org/data/definitions/798.html": (
    "secret test webhook key token your-webhook-secret your_webhook_secret your-secret your_secret your-secret-key " +
    "webhook_secret webhook-secret my-secret my_secret mysecret supersecret super-secret secret123 test-secret " +
    "test_secret whsec_test shhh foobar"
  ).split(" "),
  "https://cwe.mitre.org/data/definitions/1392.html":
    "changeme change-me changeit password default admin 123456".split(" "),
  "https://cwe.mitre.org/data/definitions/489.html":
    "dev development local localhost debug demo example placeholder dev-secret dev_secret".split(
      " ",
    ),
};

/** Texts that programs print for a key that is not set. */
const UNSET =
  "undefined null None nil false true 0 1 {} [] NaN <nil> [object~Object] ~ function~Object()~{~[native~code]~}"
    .split(" ")
    .map((text) => text.replaceAll("~", " "));

/** Attempts that are signed by keys known from documentation or from the attempt itself. */
export function knownKeys(sender: Sender): readonly Operation[] {
  const { secrets, signing } = sender;
  if (!signing.isShared) return [];
  const [secret] = secrets;
  const own = secrets.map((one) => Buffer.from(signing.keyOf(one) ?? []));
  const known = new Set(own.map((one) => one.toString("hex")));
  const wrong = (what: string, key: Key): readonly Operation[] => {
    const bytes = Buffer.from(key).toString("hex");
    if (known.has(bytes)) return [];
    known.add(bytes);
    return [
      op("R-VERIFY-WRONG-KEY", `an attempt that ${what} signed`, (base) => signedBy(base, key)),
    ];
  };
  /** A guessed text as the key, as the scheme would decode it, and after the prefix of the provider's secrets. */
  const guessed = (text: string): readonly Operation[] => [
    ...wrong(`the key ${JSON.stringify(text)}`, text),
    ...wrong(
      `the key ${JSON.stringify(text)}, decoded,`,
      Buffer.from(
        text.replace(/^whsec_/, ""),
        signing.provider.signature.key === "hex" ? "hex" : "base64",
      ),
    ),
    ...[signing.provider.secret?.prefix ?? []]
      .flat()
      .flatMap((prefix) => wrong(`the key ${JSON.stringify(prefix + text)}`, prefix + text)),
  ];
  const text = typeof secret === "string" ? secret : "";
  const misread =
    secret === undefined || signing.keyOf(secret) === undefined
      ? []
      : [...secretTexts(secret), ...respelt(text, own[0] ?? Buffer.alloc(0))];
  return [
    ...wrong("the empty key", ""),
    ...["", ...UNSET].flatMap(guessed),
    ...Object.values(PUBLISHED).flat().flatMap(guessed),
    ...misread.flatMap((key) => wrong("the secret in another form", key)),
    ...publicKeys(secrets).flatMap(([what, key]) =>
      wrong(`${what}, as if it were a shared secret,`, key),
    ),
    ...carriedKeys(sender),
    ...keysAlong(signing),
  ];
}

/** Spellings that a careless configuration gives a secret: no sender signs so. */
function respelt(text: string, key: Buffer): readonly Key[] {
  if (text.length < 8) return [];
  const digest = createHash("sha256").update(key);
  const hash = digest.digest();
  return [text.toLowerCase(), text.toUpperCase(), `${text}\n`, ` ${text}`, `"${text}"`, `'${text}'`]
    .filter((one) => one !== text)
    .concat(hash.toString("hex"), encodeURIComponent(text))
    .map((one): Key => one)
    .concat([hash]);
}

const signedBy = ({ sender, attempt }: Base, key: Key) => sender.signedBy(attempt, key);

/** Each value that an attempt carries, as the key that signs it. */
function carriedKeys(sender: Sender): readonly Operation[] {
  const { signing, events, url } = sender;
  const model = sender.genuine();
  const headers = model.headers
    .map(([name]) => name)
    .filter((name) => !signing.headers.includes(name.toLowerCase()));
  const names = events.isForm
    ? [...new URLSearchParams(Buffer.from(model.body).toString()).keys()].map(
        (name) => `form:${name}`,
      )
    : namesIn(parseJson(model.body)).map((name) => `body:/${name}`);
  const places = [...headers.map((name) => `header:${name}`), ...names].slice(0, MOST_PLACES);
  const hashed = (value: string): string => createHash("sha256").update(value).digest("hex");
  const all: readonly (readonly [what: string, key: (base: Base) => Key])[] = [
    ["id", ({ attempt }) => attempt.event.id],
    ["id's SHA-256", ({ attempt }) => hashed(attempt.event.id)],
    ["time", ({ timestamp }) => String(timestamp)],
    ["body", ({ attempt }) => attempt.body],
    ["body's SHA-256", ({ attempt }) => hashed(Buffer.from(attempt.body).toString())],
    ["type", ({ attempt }) => attempt.event.type],
    ["host", () => url.host],
    ["URL", () => url.href],
    ["path", () => url.pathname],
    ...places.map(
      (place) =>
        [
          place.replace(/^\w+:\/?/, ""),
          ({ attempt }: Base) =>
            new RequestDraft(attempt, signing.provider).text(place) ?? "cstest",
        ] as const,
    ),
  ];
  return all.map(([what, key]) =>
    op(OWN_KEYS, `an attempt with its ${what} as the key`, (base) => signedBy(base, key(base))),
  );
}

const namesIn = (value: unknown): readonly string[] => (isRecord(value) ? Object.keys(value) : []);

/** Headers and members of an attempt whose values are tried as keys. */
const MOST_PLACES = 24;
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
const TENANT_QUERY = "tenant tenant_id account account_id merchant shop app key_id kid".split(" ");

/** Tenants that no receiver has, with the keys that a careless look-up finds for them. */
const UNKNOWN: readonly (readonly [tenant: string, keys: readonly string[]])[] = [
  ["cstest-unknown", ["", "undefined", "null", "None", "cstest-unknown"]],
  ["constructor", ["function Object() { [native code] }", ""]],
  ["__proto__", ["[object Object]", ""]],
  ["", [""]],
];

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
  const unknown = UNKNOWN.flatMap(([tenant, keys]) =>
    keys.map((key) =>
      op(
        OWN_KEYS,
        `an attempt of the unknown tenant "${tenant}" that the key "${key}" signed`,
        (base) => signedBy({ ...base, attempt: ofTenant(base, tenant) }, key),
      ),
    ),
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

/** With a tenant's name wherever receivers look for one. */
function ofTenant({ attempt, sender: { signing } }: Base, tenant: string): Attempt {
  const { account } = signing.provider.event;
  const draft = new RequestDraft(attempt, signing.provider);
  if (account !== undefined) draft.put(account, tenant);
  const query = TENANT_QUERY.map((name) => `${name}=${encodeURIComponent(tenant)}`).join("&");
  const headers = TENANTS.map((name) => [name, tenant] as const);
  const changed = { ...attempt, body: draft.body, path: draft.path };
  return { ...withQuery(changed, query), headers: [...draft.headers, ...headers] };
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
