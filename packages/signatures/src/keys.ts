import {
  createHash,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type JsonWebKeyInput,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from "node:crypto";
import { ALGORITHMS, decode } from "./algorithms.ts";
import { importPrivateKey, importPublicKey, isUsablePoint, publicKeyBytes } from "./ed25519.ts";
import type { Algorithm, KeyForm, Provider } from "./provider.ts";
import type { CheckedSecret, SecretUse } from "./scheme.ts";
import { checkKeyBytes, isBytes, readSecretText, type Secret } from "./secret.ts";

export { publicKeyBytes } from "./ed25519.ts";

/** Most secrets in one call. */
const MAX_SECRETS = 4;
/** Most imported keys that are kept. */
const MAX_KEYS = 256;
/** Most bytes of a `whsec_` secret (Standard Webhooks, "Signature scheme"). */
const MAX_WHSEC_BYTES = 64;
const MIN_SECRET_BYTES = 8;

/** An imported key. It never verifies a signature of another algorithm. */
export interface Key {
  readonly algorithm: Algorithm;
  /** Absent if the message names the key and the secret is only a part of the text. */
  readonly object?: KeyObject;
  /** The part "secret" of the signed text. */
  readonly text?: Uint8Array;
  readonly checked: CheckedSecret;
}

/** Returns the keys of a list of secrets, of which each is imported once. */
export type ImportKeys = (secrets: readonly Secret[], use: SecretUse) => readonly Key[];

/**
 * Creates a function that returns the keys of a list of secrets. Importing a key costs more than an HMAC, so that 256
 * keys are kept, oldest first out; a look-up by tenant then finds them by the secret's text.
 */
export function keyImporter(provider: Provider): ImportKeys {
  const kept = { sign: new Map<Secret, Key>(), verify: new Map<Secret, Key>() };
  return (secrets, use) => {
    if (!Array.isArray(secrets)) throw new TypeError('invalid "secrets": expected a list');
    if (secrets.length === 0)
      throw new TypeError(`missing secret: "secrets" is empty.${shownAt(provider)}`);
    if (secrets.length > MAX_SECRETS)
      throw new TypeError(`invalid "secrets": expected at most ${MAX_SECRETS} secrets`);
    const known = kept[use];
    const list: readonly Secret[] = secrets;
    return list.map((secret, index) => {
      const found = known.get(secret);
      if (found !== undefined) return found;
      const key = importSecret(provider, secret, use, `secrets[${index}]`);
      if (known.size >= MAX_KEYS) known.delete(known.keys().next().value ?? secret);
      known.set(secret, key);
      return key;
    });
  };
}

/**
 * Imports one secret. `at` names its place in the caller's list.
 *
 * @throws {TypeError} It is not in the provider's form, or not for this use. The message names the provider and the place
 *   where it shows the secret, and never contains the secret.
 */
function importSecret(provider: Provider, secret: Secret, use: SecretUse, at: string): Key {
  try {
    return typeof secret === "string"
      ? importText(provider, secret, use, at)
      : keyOfBytes(provider, rawBytes(secret, at), use, at);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const message = error.message.replace(/[^?]$/, "$&.");
    throw new TypeError(`${message}${shownAt(provider)}`, { cause: error });
  }
}

const shownAt = ({ title, secret }: Provider): string =>
  secret === undefined ? "" : ` ${title} shows it at: ${secret.where}`;

function rawBytes(secret: Exclude<Secret, string>, at: string): Uint8Array {
  const raw: unknown = secret?.raw;
  if (isBytes(raw)) return raw;
  if (typeof raw === "string") return Buffer.from(readSecretText(raw, at, UNPRINTABLE));
  throw new TypeError(
    typeof (secret ?? {}) === "object" && (raw ?? undefined) === undefined
      ? `${at} is missing: is its environment variable set?`
      : `invalid ${at}: expected text, or { raw } with text or bytes`,
  );
}

const UNPRINTABLE = /[^\x20-\x7e]/;
const NOT_PEM = /[^\x20-\x7e\r\n]/;

/** The characters that a form does not have; of the others all but visible ASCII. */
const UNWANTED: Partial<Record<KeyForm, RegExp>> = {
  text: UNPRINTABLE,
  "text-nfkd": /[\p{Cc}\p{Cs}\ufeff\u00a0]/u,
  spki: NOT_PEM,
  x509: NOT_PEM,
  jwk: NOT_PEM,
};
const PREFIXES = /^(?:raw:|whsec_|whpk_|whsk_)/;

function importText(provider: Provider, secret: string, use: SecretUse, at: string): Key {
  const { title, secret: { prefix = [] } = {}, signature } = provider;
  const { algorithm, key = "text" } = signature;
  // If the message names its key, a secret is a part of the text.
  const form = isTextOnly(signature) ? "text" : key;
  const text = readSecretText(secret, at, UNWANTED[form] ?? /[^\x21-\x7e]/);
  const prefixes = [prefix].flat();
  const isOther =
    (form === "whsec" && PREFIXES.test(text)) ||
    (use === "sign" && ALGORITHMS[algorithm].kind === "public");
  if (prefixes.length > 0 && !isOther && !prefixes.some((one) => text.startsWith(one)))
    throw new TypeError(`${title} secrets begin with ${prefixes.join(" or ")}, and ${at} does not`);

  switch (form) {
    case "text":
      return keyOfBytes(provider, Buffer.from(text), use, at);
    case "text-nfkd":
      return keyOfBytes(provider, Buffer.from(text.normalize("NFKD")), use, at);
    case "hex":
    case "base64": {
      const bytes = decode(form === "hex" ? text.toLowerCase() : text, form);
      if (bytes === undefined) throw new TypeError(`${at} is not canonical ${form}`);
      return keyOfBytes(provider, bytes, use, at);
    }
    case "whsec":
      return importStandardText(provider, text, use, at);
    case "spki":
    case "x509":
    case "jwk":
      return publicKey(algorithm, importKeyText(form, text, use, at), at);
    default:
      return form satisfies never;
  }
}

const isTextOnly = ({ algorithm, signed = [] }: Provider["signature"]): boolean =>
  ALGORITHMS[algorithm].kind === "public" && signed.includes("secret");

/** Imports a secret as Standard Webhooks writes it; see `Secret`. */
function importStandardText(provider: Provider, text: string, use: SecretUse, at: string): Key {
  const prefix = PREFIXES.exec(text)?.[0] ?? "";
  const rest = text.slice(prefix.length);
  if (prefix === "raw:") return keyOfBytes(provider, Buffer.from(rest), use, at);
  if (prefix === "") {
    const key = keyOfBytes(provider, Buffer.from(text), use, at);
    const warning = warnAboutBase64(text, at) ?? key.checked.warning;
    return warning === undefined ? key : { ...key, checked: { ...key.checked, warning } };
  }
  const bytes = decode(rest, "base64");
  if (bytes === undefined) throw new TypeError(`${at} is not canonical base64 after ${prefix}`);
  if (prefix === "whsec_") {
    if (bytes.length > MAX_WHSEC_BYTES)
      throw new TypeError(`${at} is too long: a key has at most ${MAX_WHSEC_BYTES} bytes`);
    return keyOfBytes(provider, bytes, use, at);
  }
  if (!provider.signature.carrier.some(({ algorithm }) => algorithm === "ed25519"))
    throw new TypeError(
      `${at} is a key (${prefix}) for ed25519, which ${provider.title} does not use`,
    );
  if (prefix === "whpk_" && use === "sign")
    throw new TypeError(`${at} is a public key (whpk_): it cannot sign`);
  if (prefix === "whsk_" && use === "verify")
    throw new TypeError(
      `${at} is a private key (whsk_): a receiver verifies with the public key (whpk_)`,
    );
  return ed25519Key("ed25519", bytes, use, at);
}

/** Hexadecimal text is base64 too, but is commonly used as it is. A misspelt prefix (`hwsec_`) is ignored. */
function warnAboutBase64(text: string, at: string): string | undefined {
  const encoded = text.replace(/^[A-Za-z0-9]{1,6}_/, "");
  if (/^[0-9a-fA-F]*$/.test(encoded) || decode(encoded, "base64") === undefined) return undefined;
  return `${at} is used as text but looks like base64: write whsec_… if the sender decodes it, or raw:… if it does not`;
}

function ed25519Key(algorithm: Algorithm, bytes: Uint8Array, use: SecretUse, at: string): Key {
  const object = use === "sign" ? importPrivateKey(bytes, at) : importPublicKey(bytes, at);
  return publicKey(algorithm, object, at);
}

/** Returns the key of bytes that are the key itself. */
function keyOfBytes(provider: Provider, bytes: Uint8Array, use: SecretUse, at: string): Key {
  const { secret, signature } = provider;
  const { algorithm } = signature;
  const { kind } = ALGORITHMS[algorithm];
  if (kind === "public" && !isTextOnly(signature)) return ed25519Key(algorithm, bytes, use, at);
  const warning = checkKeyBytes(bytes, at, secret?.minBytes ?? MIN_SECRET_BYTES);
  const fingerprint = fingerprintOf("hmac", bytes);
  const checked = warning === undefined ? { fingerprint } : { fingerprint, warning };
  return kind === "hmac"
    ? { algorithm, object: createSecretKey(bytes), checked }
    : { algorithm, text: Uint8Array.from(bytes), checked };
}

/** Imports a public or private key or a certificate, as PEM, DER in base64, or JWK. */
function importAsymmetric(form: KeyForm, text: string, use: SecretUse): KeyObject {
  const isPublic = use === "verify";
  if (text.startsWith("{")) {
    // The key's members are checked by the import.
    const key = { key: JSON.parse(text) as JsonWebKeyInput["key"], format: "jwk" } as const;
    return isPublic ? createPublicKey(key) : createPrivateKey(key);
  }
  if (form === "x509" && isPublic) return new X509Certificate(text).publicKey;
  if (text.includes("-----BEGIN "))
    return isPublic ? createPublicKey(text) : createPrivateKey(text);
  const key = Buffer.from(text, "base64");
  return isPublic
    ? createPublicKey({ key, format: "der", type: "spki" })
    : createPrivateKey({ key, format: "der", type: "pkcs8" });
}

/** @throws {TypeError} Not a key. The parsers' own errors may quote it. */
function importKeyText(form: KeyForm, text: string, use: SecretUse, at: string): KeyObject {
  try {
    return importAsymmetric(form, text, use);
  } catch {
    const kind = use === "sign" ? "private key" : form === "x509" ? "certificate" : "public key";
    throw new TypeError(`${at} is not a ${kind} in PEM, DER (base64) or JWK`);
  }
}

function publicKey(algorithm: Algorithm, object: KeyObject, at: string): Key {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = object;
  const { keyType } = ALGORITHMS[algorithm];
  if (type !== keyType || (type === "ec" && details?.namedCurve !== "prime256v1"))
    throw new TypeError(`${at} is a key of another kind (${type}) than ${algorithm} needs`);
  if (type === "rsa" && (details?.modulusLength ?? 0) < 2048)
    throw new TypeError(`${at} is an RSA key of fewer than 2,048 bits`);
  const exported = object.type === "public" ? object : createPublicKey(object);
  const bytes =
    type === "ed25519" ? publicKeyBytes(object) : exported.export({ format: "der", type: "spki" });
  // Some versions of OpenSSL accept a signature of any message for a key of small order.
  if (type === "ed25519" && !isUsablePoint(bytes))
    throw new TypeError(`${at} is not a safe ed25519 public key: its point is garbled or weak`);
  return { algorithm, object, checked: { fingerprint: fingerprintOf(type ?? "", bytes) } };
}

/**
 * Imports the key that a message named: a certificate, a public key or a JWK.
 *
 * @throws {TypeError} The text is another one, or its key has another kind than the algorithm needs.
 */
export function importNamedKey({ title, signature }: Provider, text: string): Key {
  try {
    const form = text.includes("BEGIN CERTIFICATE") ? "x509" : "spki";
    return publicKey(signature.algorithm, importAsymmetric(form, text, "verify"), '"key"');
  } catch (error) {
    throw new TypeError(`${title}: invalid "key": expected PEM or JWK`, { cause: error });
  }
}

function fingerprintOf(kind: string, bytes: Uint8Array): string {
  return createHash("sha256").update(`${kind} `).update(bytes).digest("hex").slice(0, 12);
}

/** Makes a key that nobody has. */
export function decoyKey(algorithm: Algorithm): Key {
  const { kind, keyType } = ALGORITHMS[algorithm];
  const checked = { fingerprint: "" };
  if (kind === "hash") return { algorithm, text: randomBytes(32), checked };
  if (kind === "hmac") return { algorithm, object: createSecretKey(randomBytes(64)), checked };
  const { publicKey: object } =
    keyType === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : keyType === "ec"
        ? generateKeyPairSync("ec", { namedCurve: "prime256v1" })
        : generateKeyPairSync("ed25519");
  return { algorithm, object, checked };
}
