// Signs as vendors do whose SDKs only verify.
import { Buffer } from "node:buffer";
import { createHash, createHmac, sign } from "node:crypto";
import { Webhook } from "standardwebhooks";

/** Returns the HMAC of a text. */
export const hmac = (secret, text, encoding = "hex", hash = "sha256") =>
  createHmac(hash, secret).update(text).digest(encoding);

/** Returns the SHA-256 of a text. */
export const sha256 = (text, encoding = "hex") =>
  createHash("sha256").update(text).digest(encoding);

/** Signs with the private key of an Ed25519 pair. */
export const signEd25519 = ({ privateKey }, text) => sign(null, Buffer.from(text), privateKey);

/** Signs with RSA (PKCS #1 v1.5) and SHA-256. */
export const signRsa = ({ privateKey }, text) => sign("sha256", Buffer.from(text), privateKey);

/** Returns the public key of a pair in base64 (SPKI, DER). */
export const spki = ({ publicKey }) =>
  publicKey.export({ format: "der", type: "spki" }).toString("base64");

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Returns a JWT signed with HMAC-SHA256. */
export function jwt(secret, claims) {
  const text = `${encoded({ typ: "JWT", alg: "HS256" })}.${encoded(claims)}`;
  return `${text}.${hmac(secret, text, "base64url")}`;
}

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
export const pkcs8 = ({ privateKey }) => privateKey.export({ format: "pem", type: "pkcs8" });
