// Signs as vendors do whose SDKs only verify.
import { Buffer } from "node:buffer";
import { createHash, createHmac, sign } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { ed25519Pair, signP256 } from "./keys.mjs";

/** Returns the HMAC of a text. */
export const hmac = (secret, text, encoding = "hex", hash = "sha256") =>
  createHmac(hash, secret).update(text).digest(encoding);

/** Returns the SHA-256 of a text. */
export const sha256 = (text, encoding = "hex") =>
  createHash("sha256").update(text).digest(encoding);

/** Returns the signature of the time and the body of a message, as Slack and Zoom make it. */
export const signV0 = ({ body, secret, seconds }) => `v0=${hmac(secret, `v0:${seconds}:${body}`)}`;

/** Signs with the private key of an Ed25519 pair. */
export const signEd25519 = ({ privateKey }, text) => sign(null, Buffer.from(text), privateKey);

/** Signs with RSA (PKCS #1 v1.5) and SHA-256. */
export const signRsa = ({ privateKey }, text) => sign("sha256", Buffer.from(text), privateKey);

/** Returns the public key of a pair in base64 (SPKI, DER). */
const spki = ({ publicKey }) =>
  publicKey.export({ format: "der", type: "spki" }).toString("base64");

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Returns a JWT, signed with HMAC-SHA256, or with the P-256 pair of the key that `kid` names. */
export function jwt(key, claims, kid) {
  const header = kid ? { alg: "ES256", kid, typ: "JWT" } : { typ: "JWT", alg: "HS256" };
  const text = `${encoded(header)}.${encoded(claims)}`;
  const ecdsa = () => signP256(key, text, "ieee-p1363").toString("base64url");
  return `${text}.${kid ? ecdsa() : hmac(key, text, "base64url")}`;
}

/** Returns headers whose names begin alike. */
export const headersOf = (prefix, values) => ({
  headers: Object.fromEntries(
    Object.entries(values).map(([name, value]) => [prefix + name, String(value)]),
  ),
});

/** Returns the signing function of a sender of Standard Webhooks, whose headers begin with `prefix`. */
export const standard =
  (prefix = "webhook", { id: idHeader = `${prefix}-id`, ...options } = {}) =>
  ({ body, id, secret, seconds }) => ({
    headers: {
      [idHeader]: id,
      [`${prefix}-timestamp`]: String(seconds),
      [`${prefix}-signature`]: new Webhook(secret, options).sign(
        id,
        new Date(seconds * 1000),
        body,
      ),
    },
  });

/** Returns the private key of a pair as PEM. */
const pkcs8 = ({ privateKey }) => privateKey.export({ format: "pem", type: "pkcs8" });

/** Returns the key pairs of two numbers, the texts of their public keys and of the first private key. */
export function pairsOf(pairOf, numbers, publicText = spki, privateText = pkcs8) {
  const [a, b] = numbers.map((number) => pairOf(number));
  const publicKeys = { a: publicText(a), b: publicText(b) };
  return { pairs: { a, b }, publicKeys, privateKeys: { a: privateText(a) } };
}

/** Returns two Ed25519 key pairs, whose keys are texts of their 32 bytes. */
export const ed25519PairsOf = (numbers, encoding) =>
  pairsOf(
    ed25519Pair,
    numbers,
    ({ raw }) => raw.toString(encoding),
    ({ seed }) => seed.toString(encoding),
  );
