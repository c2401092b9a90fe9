import { createHash } from "node:crypto";
import type { Attempt } from "../harness/attempt-maker.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import { RequestDraft } from "../harness/request-draft.ts";
import { secretTexts } from "../redact.ts";
import { isRecord, parseJson } from "../values.ts";
import { type Base, op, type Operation, withQuery, words } from "./forged-operation.ts";

type Key = Uint8Array | string;
type NamedKey = readonly [name: string, key: Key];

/**
 * Secrets that documentation prints, with which programs are deployed: docs.svix.com/receiving/verifying-payloads/how and
 * how-manual, github.com/standard-webhooks/standard-webhooks, github.com/stripe/stripe-node#testing-webhook-signing,
 * docs.stripe.com/webhooks/quickstart, docs.github.com (validating webhook deliveries), jwt.io; and the words of
 * CWE-798, CWE-1392 and CWE-489.
 */
const PUBLISHED: readonly string[] = [
  "It's a Secret to Everybody",
  ...words(`
    whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD whsec_plJ3nmyCDGBKInavdOK15jsl
    whsec_test_secret your-256-bit-secret whsec_... whsec_
    secret test webhook key token your-webhook-secret your_webhook_secret your-secret your_secret your-secret-key
    webhook_secret webhook-secret my-secret my_secret mysecret supersecret super-secret secret123 test-secret
    test_secret whsec_test shhh foobar changeme change-me changeit password default admin 123456
    dev development local localhost debug demo example placeholder dev-secret dev_secret`),
];

/** Texts that programs print for a key that is not set. */
const UNSET = words(
  "undefined null None nil false true 0 1 {} [] NaN <nil> [object~Object] ~ function~Object()~{~[native~code]~}",
).map((text) => text.replaceAll("~", " "));

const WRONG_KEY = "R-VERIFY-WRONG-KEY";
const OWN_KEYS = "R-VERIFY-OWN-KEYS";

const signedBy = ({ kit, attempt }: Base, key: Key) => kit.signedBy(attempt, key);
const sha256 = (value: Key): Buffer => createHash("sha256").update(value).digest();

/** Attempts that are signed by keys known from documentation or from the attempt itself. */
export function knownKeys(kit: KitSender): readonly Operation[] {
  const { secrets, signing } = kit;
  if (!signing.isShared) return [];
  const { secret: { prefix = [] } = {}, signature } = signing.provider;
  const coding = signature.key === "hex" ? "hex" : "base64";
  const keys: readonly NamedKey[] = [
    ...["", ...UNSET, ...PUBLISHED].flatMap((text): readonly NamedKey[] => [
      ...["", prefix].flat().map((start): NamedKey => {
        return [`the key ${JSON.stringify(start + text)}`, start + text];
      }),
      [
        `the key ${JSON.stringify(text)}, decoded,`,
        Buffer.from(text.replace(/^whsec_/, ""), coding),
      ],
    ]),
    ...respelt(kit).map((key): NamedKey => ["the secret in another form", key]),
    ...publicKeys(kit).map((key): NamedKey => ["the public key, as a shared secret,", key]),
  ];
  const tried = new Set(secrets.map((one) => hexOf(signing.keyOf(one) ?? "")));
  const others = keys.filter(([, key]) => tried.size < tried.add(hexOf(key)).size);
  return [
    ...others.map(([name, key]) =>
      op(WRONG_KEY, `an attempt that ${name} signed`, (base) => signedBy(base, key)),
    ),
    ...valuesAsKeys(kit),
    ...keysAlong(kit),
  ];
}

const hexOf = (key: Key): string => Buffer.from(key).toString("hex");

/** Spellings that a careless configuration gives a secret: no sender signs so. */
function respelt({ secrets: [text], key }: KitSender): readonly Key[] {
  if (typeof text !== "string") return [];
  const spellings =
    text.length < 8
      ? []
      : [text.toLowerCase(), text.toUpperCase(), `${text}\n`, ` ${text}`, `"${text}"`, `'${text}'`];
  const other = spellings.filter((one) => one !== text);
  const hash = sha256(key ?? "");
  return [...secretTexts(text), ...other, hash, hexOf(hash), encodeURIComponent(text)];
}

/** The public key of a private one (`whsk_`): a receiver that uses it as a shared secret accepts anyone's attempts. */
function publicKeys({ secrets: [secret], signing }: KitSender): readonly Key[] {
  if (typeof secret !== "string" || !secret.startsWith("whsk_")) return [];
  const text = signing.verifyingSecret(secret);
  if (typeof text !== "string") return [];
  const raw = Buffer.from(text.replace("whpk_", ""), "base64");
  const der = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), raw]);
  const pem = `-----BEGIN PUBLIC KEY-----\n${der.toString("base64")}\n-----END PUBLIC KEY-----\n`;
  return [raw, text, der, pem];
}

/** Headers and members of an attempt whose values are tried as keys. */
const MOST_PLACES = 24;

/** Each value that an attempt carries, as the key that signs it. */
function valuesAsKeys(kit: KitSender): readonly Operation[] {
  const { signing, events, url } = kit;
  const model = kit.attempt();
  const body = parseJson(model.body);
  const fields = [...new URLSearchParams(Buffer.from(model.body).toString()).keys()];
  const places = [
    ...model.headers
      .filter(([name]) => !signing.headers.includes(name.toLowerCase()))
      .map(([name]) => `header:${name}`),
    ...(events.isForm ? fields : []).map((name) => `form:${name}`),
    ...(isRecord(body) ? Object.keys(body) : []).map((name) => `body:/${name}`),
  ];
  const known: Readonly<Record<string, (base: Base) => Key>> = {
    id: ({ attempt }) => attempt.event.id,
    "id's SHA-256": ({ attempt }) => hexOf(sha256(attempt.event.id)),
    time: ({ timestamp }) => String(timestamp),
    body: ({ attempt }) => attempt.body,
    "body's SHA-256": ({ attempt }) => hexOf(sha256(attempt.body)),
    type: ({ attempt }) => attempt.event.type,
    host: () => url.host,
    URL: () => url.href,
    path: () => url.pathname,
  };
  const valueAt = (place: string) => {
    return ({ attempt }: Base): Key =>
      new RequestDraft(attempt, signing.provider).text(place) ?? "cstest";
  };
  const placed = places.slice(0, MOST_PLACES).map((place) => {
    return [place.replace(/^\w+:\/?/, ""), valueAt(place)] as const;
  });
  return [...Object.entries(known), ...placed].map(([what, key]) =>
    op(OWN_KEYS, `an attempt with its ${what} as the key`, (base) => signedBy(base, key(base))),
  );
}

const KEY = "a key sent with the attempt";
/** Headers that carry a key, or name one. */
const KEY_HEADERS = words(`
  Webhook-Secret Webhook-Key X-Webhook-Secret X-Webhook-Key X-Secret X-Key Authorization X-Api-Key X-Signature-Key
  X-Signing-Secret X-Signing-Key X-Hmac-Key`);
const KEY_QUERY = words("secret key signing_secret webhook_secret token");
/** Headers and parameters that choose a tenant, whose key is missing if it is unknown. */
const TENANTS = words(`
  X-Tenant-Id X-Tenant X-Account-Id X-Account X-Merchant-Id X-Client-Id X-App-Id X-Shop-Id X-Store-Id X-Project-Id
  X-Organization-Id X-Customer-Id X-User-Id X-Key-Id X-Webhook-Key-Id Webhook-Key-Id`);
const TENANT_QUERY = words("tenant tenant_id account account_id merchant shop app key_id kid");

/** Tenants that no receiver has, with the keys that a careless look-up finds for them. */
const UNKNOWN: Readonly<Record<string, readonly string[]>> = {
  "cstest-unknown": ["", "undefined", "null", "None", "cstest-unknown"],
  constructor: ["function Object() { [native code] }", ""],
  ["__proto__"]: ["[object Object]", ""],
  "": [""],
};

/** The attempt contains the key, or names one that does not exist. */
function keysAlong({ signing }: KitSender): readonly Operation[] {
  const text = signing.stranger("sent along");
  const sent: readonly (readonly [form: string, sent: string, key: Key])[] = [
    ["text", KEY, KEY],
    ["the scheme's form", text, signing.keyOf(text) ?? ""],
  ];
  return [
    ...KEY_HEADERS.flatMap((name) =>
      sent.map(([form, value, key]) =>
        op(OWN_KEYS, `an attempt with its own key in ${name}, as ${form}`, (base) => {
          const signed = signedBy(base, key);
          const header = [name, name === "Authorization" ? `Bearer ${value}` : value] as const;
          return signed && { ...signed, headers: [...signed.headers, header] };
        }),
      ),
    ),
    ...KEY_QUERY.map((name) =>
      op(OWN_KEYS, `an attempt with its own key as the parameter ${name}`, (base) => {
        const signed = signedBy(base, KEY);
        return signed && withQuery(signed, `${name}=${encodeURIComponent(KEY)}`);
      }),
    ),
    ...Object.entries(UNKNOWN).flatMap(([tenant, keys]) =>
      keys.map((key) => {
        const what = `an attempt of the unknown tenant "${tenant}" that the key "${key}" signed`;
        return op(OWN_KEYS, what, (base) =>
          signedBy({ ...base, attempt: ofTenant(base, tenant) }, key),
        );
      }),
    ),
  ];
}

/** With a tenant's name wherever receivers look for one. */
function ofTenant({ attempt, kit: { signing } }: Base, tenant: string): Attempt {
  const { account } = signing.provider.event;
  const draft = new RequestDraft(attempt, signing.provider);
  if (account !== undefined) draft.put(account, tenant);
  const query = TENANT_QUERY.map((name) => `${name}=${encodeURIComponent(tenant)}`).join("&");
  const headers = TENANTS.map((name) => [name, tenant] as const);
  const changed = { ...attempt, body: draft.body, path: draft.path };
  return { ...withQuery(changed, query), headers: [...draft.headers, ...headers] };
}
