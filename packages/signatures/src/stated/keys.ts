import { createHash, createSecretKey, type KeyObject } from "node:crypto";
import { importPrivateKey, importPublicKey, publicKeyBytes } from "../ed25519.ts";
import type { Encoding } from "./hmac-description.ts";
import type { CheckedSecret, SecretUse } from "./scheme.ts";
import {
  checkSize,
  isBytes,
  type PlainSecret,
  rawKeyBytes,
  readSecretText,
  SealedSecret,
  type Secret,
} from "./secret.ts";

/** Most secrets in one call. */
const MAX_SECRETS = 4;
/** Most imported keys that outlive the list they were read from. */
const MAX_KEYS = 256;
/** Most bytes of a `whsec_` secret (Standard Webhooks, "Signature scheme"). */
const MAX_WHSEC_BYTES = 64;

/** An imported key. An ed25519 key never verifies an HMAC, and an HMAC key never an ed25519 signature. */
export interface Key {
  readonly kind: "hmac" | "ed25519";
  readonly object: KeyObject;
  readonly checked: CheckedSecret;
}

/** Imports one secret. `at` names its place in the caller's list for messages. */
export type ImportSecret = (
  secret: PlainSecret,
  use: SecretUse,
  at: string,
  minSecretBytes: number,
) => Key;

/** Imports text and bytes as they are. */
export const importPlainSecret: ImportSecret = (secret, _use, at, minSecretBytes) =>
  hmacKey(rawKeyBytes(typeof secret === "string" ? secret : secret?.raw, minSecretBytes, at));

/**
 * Imports a secret of Standard Webhooks; see `PlainSecret`.
 *
 * @throws {TypeError} Base64 that is not canonical, a wrong length, or a key that is not for this use. The message
 *   never contains the secret.
 */
export const importStandardSecret: ImportSecret = (secret, use, at, minSecretBytes) => {
  if (typeof secret !== "string") return importPlainSecret(secret, use, at, minSecretBytes);
  const text = readSecretText(secret, at);
  const prefix = /^(?:raw:|whsec_|whpk_|whsk_)/.exec(text)?.[0] ?? "";
  switch (prefix) {
    case "whsec_": {
      const bytes = decodeAfter(prefix, text, at);
      checkSize(bytes.length, { min: minSecretBytes, max: MAX_WHSEC_BYTES }, at);
      return hmacKey(bytes);
    }
    case "whpk_":
      if (use === "sign") throw new TypeError(`${at} is a public key (whpk_): it cannot sign`);
      return ed25519Key(importPublicKey(decodeAfter(prefix, text, at), at));
    case "whsk_":
      if (use === "verify") {
        throw new TypeError(
          `${at} is a private key (whsk_): a receiver verifies with the public key (whpk_)`,
        );
      }
      return ed25519Key(importPrivateKey(decodeAfter(prefix, text, at), at));
    case "raw:":
      return hmacKey(rawKeyBytes(text.slice(prefix.length), minSecretBytes, at));
    default:
      return hmacKey(rawKeyBytes(text, minSecretBytes, at), warnAboutBase64(text, at));
  }
};

/** Hexadecimal text is base64 too, but is commonly used as it is. A misspelt prefix (`hwsec_`) is ignored. */
function warnAboutBase64(text: string, at: string): string | undefined {
  const encoded = text.replace(/^[A-Za-z0-9]{1,6}_/, "");
  if (/^[0-9a-fA-F]*$/.test(encoded) || decode(encoded, "base64") === undefined) return undefined;
  return `${at} is used as text but looks like base64: write whsec_… if the sender decodes it, or raw:… if it does not`;
}

function hmacKey(bytes: Uint8Array, warning?: string): Key {
  const fingerprint = fingerprintOf("hmac", bytes);
  const checked = warning === undefined ? { fingerprint } : { fingerprint, warning };
  return { kind: "hmac", object: createSecretKey(bytes), checked };
}

function ed25519Key(object: KeyObject): Key {
  const fingerprint = fingerprintOf("ed25519", publicKeyBytes(object));
  return { kind: "ed25519", object, checked: { fingerprint } };
}

function fingerprintOf(kind: Key["kind"], bytes: Uint8Array): string {
  return createHash("sha256").update(`${kind} `).update(bytes).digest("hex").slice(0, 12);
}

function decodeAfter(prefix: string, secret: string, at: string): Uint8Array {
  const bytes = decode(secret.slice(prefix.length), "base64");
  if (bytes === undefined) throw new TypeError(`${at} is not canonical base64 after ${prefix}`);
  return bytes;
}

/**
 * Decodes text that is the one spelling of its bytes: lower-case hexadecimal, or base64 whose unused bits are zero,
 * padded in the standard alphabet (RFC 4648 section 4), unpadded in that of URLs.
 */
export function decode(text: string, encoding: Encoding | "base64url"): Uint8Array | undefined {
  const bytes = Buffer.from(text, encoding);
  // `Buffer.from` skips what it does not understand.
  return bytes.toString(encoding) === text ? bytes : undefined;
}

interface Imported {
  readonly secrets: readonly Secret[];
  readonly keys: readonly Key[];
}

/**
 * Creates a function that returns the keys of a list of secrets and imports each secret once: an HMAC whose key is
 * imported each time costs several times as much.
 *
 * A list is remembered weakly, so its secrets are not kept longer than the caller keeps them; a list that the caller
 * has changed is read again. A new list of known secrets, as a look-up by tenant returns, finds its keys by a hash of
 * each secret: at most 256 of them, least recently used first out.
 */
export function cachedKeys(
  importSecret: ImportSecret,
  minSecretBytes: number,
): (secrets: readonly Secret[], use: SecretUse) => readonly Key[] {
  const lists = {
    sign: new WeakMap<readonly Secret[], Imported>(),
    verify: new WeakMap<readonly Secret[], Imported>(),
  };
  const recent = new Map<string, Key>();

  function keyOf(secret: PlainSecret, use: SecretUse, at: string): Key {
    const name = nameOf(secret, use);
    const key =
      (name === undefined ? undefined : recent.get(name)) ??
      importSecret(secret, use, at, minSecretBytes);
    if (name === undefined) return key;
    recent.delete(name);
    recent.set(name, key);
    const [oldest] = recent.keys();
    if (recent.size > MAX_KEYS && oldest !== undefined) recent.delete(oldest);
    return key;
  }

  return (secrets, use) => {
    const known = lists[use].get(secrets);
    if (known !== undefined && haveSameMembers(known.secrets, secrets)) return known.keys;
    if (!Array.isArray(secrets)) throw new TypeError('invalid "secrets": expected a list');
    if (secrets.length === 0) throw new TypeError('missing secret: "secrets" is empty');
    if (secrets.length > MAX_SECRETS) {
      throw new TypeError(`invalid "secrets": expected at most ${MAX_SECRETS} secrets`);
    }
    const copy: readonly Secret[] = Array.from(secrets);
    const keys = copy.map((secret, index) =>
      keyOf(SealedSecret.open(secret), use, `secrets[${index}]`),
    );
    lists[use].set(secrets, { secrets: copy, keys });
    return keys;
  };
}

function haveSameMembers(known: readonly Secret[], secrets: readonly Secret[]): boolean {
  return known.length === secrets.length && known.every((secret, at) => secret === secrets[at]);
}

/** Names a secret without revealing it; `undefined` for anything that is not a secret. */
function nameOf(secret: PlainSecret, use: SecretUse): string | undefined {
  const raw: unknown = typeof secret === "string" ? secret : secret?.raw;
  if (typeof raw !== "string" && !isBytes(raw)) return undefined;
  const kind = typeof secret === "string" ? "text" : typeof raw === "string" ? "raw" : "bytes";
  return createHash("sha256").update(`${use} ${kind} `).update(raw).digest("base64");
}
