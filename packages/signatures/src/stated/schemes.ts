import { createScheme, type SchemeParts } from "./create-scheme.ts";
import {
  checkDescription,
  type Encoding,
  type HmacAlgorithm,
  type HmacDescription,
} from "./hmac-description.ts";
import { importPlainSecret, importStandardSecret } from "./keys.ts";
import type { SignatureScheme } from "./scheme.ts";
import { checkMinSecretBytes } from "./secret.ts";

/** Options of every scheme. */
export interface SecretOptions {
  /**
   * Fewest bytes of a shared secret: an integer from 1 to 64, 24 by default, as Standard Webhooks says. A lower number
   * admits keys that a stranger with one signed attempt can search for offline; use it only for a sender that has
   * already issued them.
   */
  readonly minSecretBytes?: number;
}

/**
 * Standard Webhooks 1.0.0: `v1` (HMAC-SHA256) and `v1a` (ed25519) over `id.timestamp.body`, any mix of both in one
 * header, several secrets on either side.
 *
 * A secret is bound to its version: a `whpk_` key never verifies `v1`. Unknown versions and garbled signatures next to
 * a genuine one are skipped (Standard Webhooks, "Verifying signatures"); ids with a full stop, repeated headers and
 * other header names are refused.
 *
 * @throws {TypeError} `minSecretBytes` is not an integer from 1 to 64.
 */
export function standardWebhooks({ minSecretBytes }: SecretOptions = {}): SignatureScheme {
  if (minSecretBytes === undefined) return createScheme(STANDARD);
  checkMinSecretBytes(minSecretBytes);
  return createScheme({ ...STANDARD, description: { ...STANDARD.description, minSecretBytes } });
}

const STANDARD: SchemeParts = {
  description: {
    name: "standard-webhooks",
    algorithm: "sha256",
    encoding: "base64",
    headers: {
      signature: "webhook-signature",
      timestamp: "webhook-timestamp",
      id: "webhook-id",
    },
    signed: ["id", "timestamp", "body"],
    separator: ".",
  },
  form: { kind: "versions" },
  importSecret: importStandardSecret,
};

/**
 * A scheme from its description. Text is the key as it is; a secret has 24 bytes or more unless the description says
 * otherwise.
 *
 * @param description Is copied; changing it afterwards changes nothing.
 * @throws {TypeError} The description is unusable; the message names the member.
 */
export function describedHmac(description: HmacDescription): SignatureScheme {
  return createScheme(partsOf({ scheme: "hmac", description }));
}

/** Options of `xSignature`. */
export interface XSignatureOptions extends SecretOptions {
  /** In whole seconds, inclusive, either way; 300 by default. */
  readonly toleranceSeconds?: number;
}

/**
 * HMAC-SHA512 in base64 over `id.timestamp.body`, in the headers `X-Signature`, `X-Signature-Timestamp` and
 * `X-Signature-UniqueId`. The header carries one signature: `sign` takes one secret, `verify` tries up to four.
 *
 * @throws {TypeError} An option is out of its bounds.
 */
export function xSignature(options: XSignatureOptions = {}): SignatureScheme {
  return describedHmac({ ...hmacPresets.xSignature, ...options });
}

/** Options of `timestampedHmac`. */
export interface TimestampedHmacOptions extends XSignatureOptions {
  /** The header's name. */
  readonly header: string;
  /** `sha256` by default. */
  readonly algorithm?: HmacAlgorithm;
  /** `hex` (lower case) by default. */
  readonly encoding?: Encoding;
  /** The name before the timestamp, `t` by default. */
  readonly timestampName?: string;
  /** The name before each signature, `v1` by default. */
  readonly signatureName?: string;
}

/**
 * `t=…,v1=…` in one header, HMAC over `timestamp.body`. The header can carry several signatures, one for each secret;
 * other names are skipped. No id is signed: the `id` of a verified attempt is `undefined`.
 *
 * @throws {TypeError} An option is out of its bounds.
 */
export function timestampedHmac({
  header,
  timestampName = "t",
  signatureName = "v1",
  ...options
}: TimestampedHmacOptions): SignatureScheme {
  return describedHmac({
    ...hmacPresets.timestamped,
    ...options,
    headers: { signature: header },
    form: { kind: "pairs", timestamp: timestampName, signature: signatureName },
  });
}

/** Options of `bodyHmac`. */
export interface BodyHmacOptions extends SecretOptions {
  /** The header's name. */
  readonly header: string;
  /** `sha256` by default. */
  readonly algorithm?: HmacAlgorithm;
  /** `hex` (lower case) by default. */
  readonly encoding?: Encoding;
  /** Text before the signature, such as `sha256=`; empty by default. */
  readonly prefix?: string;
}

/**
 * HMAC over the body only. **It gives no replay protection**: neither an id nor a time is signed, so whoever has seen
 * one attempt can send it again, at any time and with any other headers. Recognise repeats by a value inside the body
 * or by the body's digest, never by a header. The header carries one signature: `sign` takes one secret, `verify`
 * tries up to four.
 *
 * @throws {TypeError} An option is out of its bounds.
 */
export function bodyHmac({ header, prefix = "", ...options }: BodyHmacOptions): SignatureScheme {
  return describedHmac({
    ...hmacPresets.body,
    ...options,
    headers: { signature: header },
    form: { kind: "single", prefix },
  });
}

/**
 * Descriptions of forms that senders use. Each is data: copy one, change what differs, and pass it to `describedHmac`.
 */
export const hmacPresets: Readonly<
  Record<"xSignature" | "timestamped" | "unseparated" | "body", HmacDescription>
> = {
  /** `X-Signature`, `X-Signature-Timestamp`, `X-Signature-UniqueId`: HMAC-SHA512 over `id.timestamp.body`. */
  xSignature: {
    name: "x-signature",
    algorithm: "sha512",
    encoding: "base64",
    headers: {
      signature: "X-Signature",
      timestamp: "X-Signature-Timestamp",
      id: "X-Signature-UniqueId",
    },
    form: { kind: "single", prefix: "" },
    signed: ["id", "timestamp", "body"],
    separator: ".",
  },
  /** `t=…,v1=…` in one header: HMAC-SHA256 in hexadecimal over `timestamp.body`. No id. */
  timestamped: {
    name: "timestamped-hmac",
    algorithm: "sha256",
    encoding: "hex",
    headers: { signature: "X-Signature" },
    form: { kind: "pairs", timestamp: "t", signature: "v1" },
    signed: ["timestamp", "body"],
    separator: ".",
  },
  /** The timestamp in its own header, and nothing between it and the body. No id. */
  unseparated: {
    name: "unseparated-hmac",
    algorithm: "sha256",
    encoding: "base64",
    headers: { signature: "X-Webhook-Signature", timestamp: "X-Webhook-Timestamp" },
    form: { kind: "single", prefix: "" },
    signed: ["timestamp", "body"],
    separator: "",
  },
  /** The body only. **No replay protection**: neither an id nor a time is signed. */
  body: {
    name: "body-hmac",
    algorithm: "sha256",
    encoding: "hex",
    headers: { signature: "X-Signature" },
    form: { kind: "single", prefix: "" },
    signed: ["body"],
    separator: "",
  },
};

/** A scheme as a profile states it: Standard Webhooks by name, any other as data. */
export type StatedScheme =
  | { readonly scheme: "standard-webhooks" }
  | { readonly scheme: "hmac"; readonly description: HmacDescription };

/**
 * Returns the scheme that a profile states.
 *
 * @throws {TypeError} The description is unusable; the message names the member.
 */
export function schemeOf(stated: StatedScheme): SignatureScheme {
  return createScheme(partsOf(stated));
}

/** @throws {TypeError} The description is unusable; the message names the member. */
export function partsOf(stated: StatedScheme): SchemeParts {
  if (stated.scheme === "standard-webhooks") return STANDARD;
  checkDescription(stated.description);
  const description = structuredClone(stated.description);
  return { description, form: description.form, importSecret: importPlainSecret };
}
