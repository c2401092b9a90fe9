import { generateKeyPairSync, type KeyPairKeyObjectResult } from "node:crypto";
import type { Provider, SignatureDocument } from "../src/index.ts";

/** A document with secrets of both sides, and the kind of message that it signs. */
export interface Sample {
  readonly document: Provider;
  readonly sign: string;
  readonly verify: string;
  /** JSON unless it is a form or has items. */
  readonly body?: "form" | "items";
  readonly claims?: Readonly<Record<string, string>>;
}

const TEXT = "It's a secret of 26 bytes.";
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const ed25519 = generateKeyPairSync("ed25519");
const keysOf = ({ privateKey, publicKey }: KeyPairKeyObjectResult) => ({
  sign: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  verify: publicKey.export({ type: "spki", format: "pem" }).toString(),
});
const both = (secret: string) => ({ sign: secret, verify: secret });

const hmac = { algorithm: "hmac-sha256", encoding: "hex", signed: ["body"] } as const;
const carrier = [{ at: "header:X-Signature" }];
const base64 = { encoding: "base64" } as const;
const time = { at: "header:X-Time", unit: "s", toleranceSeconds: 300 } as const;
const [ms, iso] = [
  { timestamp: { ...time, unit: "ms" } },
  { timestamp: { ...time, unit: "iso" } },
] as const;
const digest = { of: "body", algorithm: "sha256", encoding: "hex" } as const;
const id = { at: "header:X-Id" };

/** A document of the members that a test is about. */
export const provider = (
  signature: Partial<SignatureDocument>,
  rest: Partial<Provider> = {},
): Provider => ({
  name: "sample",
  title: "Sample",
  signature: { carrier, ...hmac, ...signature },
  ...rest,
});

const sample = (
  signature: Partial<SignatureDocument>,
  rest: Partial<Provider> = {},
  own: Partial<Sample> = {},
): Sample => ({ document: provider(signature, rest), ...both(TEXT), ...own });

/** A token has none of the members that `provider` adds. */
const token = (
  signature: Omit<SignatureDocument, "carrier"> & Partial<SignatureDocument>,
  at: string,
  own: Partial<Sample>,
): Sample => {
  const { document, ...secrets } = sample({}, { timestamp: { ...time, at } }, own);
  return { document: { ...document, signature: { carrier, ...signature } }, ...secrets };
};

/** A sample of every feature of the grammar. */
export const samples: readonly Sample[] = [
  sample({}),
  sample({ algorithm: "hmac-sha1", weak: "old" }),
  sample({ algorithm: "hmac-sha384", encoding: "base64url" }),
  sample({ key: "text-nfkd" }, {}, both("clé secrète №1")),
  sample({ key: "hex" }, {}, { sign: "00FFAA".repeat(8), verify: "00ffaa".repeat(8) }),
  sample({ key: "base64" }, {}, both("QUJDREVGR0g=")),
  sample({ algorithm: "sha256", signed: ["secret", "body"], weak: "w" }),
  sample(
    { algorithm: "sha1", signed: ["body", "timestamp", "secret"], weak: "w" },
    { timestamp: time },
  ),
  sample(
    { algorithm: "ed25519", key: "base64", signed: ["timestamp", "body"] },
    { timestamp: time },
    {
      sign: ed25519.privateKey.export({ type: "pkcs8", format: "der" }).toString("base64"),
      verify: ed25519.publicKey.export({ type: "spki", format: "der" }).toString("base64"),
    },
  ),
  sample({ algorithm: "ecdsa-p256-sha256", key: "spki", ...base64 }, {}, keysOf(ec)),
  sample({ algorithm: "rsa-sha256", key: "spki", ...base64 }, {}, keysOf(rsa)),
  sample(
    {
      carrier: [{ at: "header:X-Signature", separator: ";", pair: "h1" }],
      signed: ["timestamp", { text: ":" }, "body"],
    },
    { timestamp: { ...time, at: "header:X-Signature#ts", unit: "ms" } },
  ),
  sample({ signed: ["method", "url", "body", "timestamp"] }, ms),
  sample(
    { carrier: [{ at: "header:X-One" }, { at: "header:X-Two" }], signed: ["body", "timestamp"] },
    iso,
  ),
  sample({ signed: ["timestamp", "body"] }, { timestamp: time }),
  sample({ signed: ["id", "timestamp", "body"] }, { id, ...iso }),
  sample(
    { signed: ["id", { text: "." }, "timestamp", { text: "." }, "body"] },
    { id, timestamp: time },
  ),
  sample({ signed: ["url"], digests: [{ at: "query:sha", ...digest }] }),
  sample({ signed: ["id", { crc32: "body" }], join: "|" }, { id, authentic: [id.at] }),
  sample(
    {
      carrier: [{ at: "form:sign" }],
      signed: [{ form: "sorted", pair: "=", join: "&", without: ["sign"] }],
      ambiguous: "a",
    },
    {},
    { body: "form" },
  ),
  sample(
    {
      per: "item",
      carrier: [{ at: "item:/sign" }],
      signed: [{ at: "item:/a" }, { ifPresent: "item:/b", parts: [{ at: "item:/b" }] }],
      join: ":",
      ambiguous: "a",
    },
    { batch: "body:/items", authentic: ["item:/a", "item:/b"] },
    { body: "items" },
  ),
  token(
    {
      algorithm: "jwt-hs256",
      carrier: [{ at: "header:Authorization", prefix: "Bearer " }],
      claims: { iss: "option:issuer", exp: "required", sub: { at: "url" } },
      digests: [{ at: "jwt:sha256", ...digest, ...base64 }],
    },
    "jwt:nbf",
    { claims: { issuer: "key-1" } },
  ),
  token(
    {
      algorithm: "jwt-es256",
      key: "spki",
      claims: { iat: "required" },
      digests: [{ at: "jwt:body", ...digest }],
    },
    "jwt:iat",
    keysOf(ec),
  ),
];
