import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from "node:crypto";
import { isUsablePoint } from "./ed25519-point.ts";

/** The bytes of a signature (RFC 8032 section 5.1.6). */
export const SIGNATURE_BYTES = 64;

// RFC 8410: the DER around the 32 bytes of a public key and of a seed.
const SPKI = Buffer.from("302a300506032b6570032100", "hex");
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

/**
 * A public key of 32 bytes, or of 44 bytes of SPKI around them.
 *
 * @throws {TypeError} Another length, another structure, or a point that is not on the curve, not
 *   canonically encoded, or of small order: under such a key anybody can sign.
 */
export function importPublicKey(bytes: Uint8Array, at: string): KeyObject {
  const raw = bytes.length === 44 ? unwrap(bytes, SPKI, at) : bytes;
  if (raw.length !== 32) {
    throw new TypeError(`${at} is no ed25519 public key: it needs 32 bytes, or 44 as SPKI`);
  }
  if (!isUsablePoint(raw)) {
    throw new TypeError(
      `${at} is no ed25519 public key that can be trusted: a garbled or weak point`,
    );
  }
  return createPublicKey({ key: Buffer.concat([SPKI, raw]), format: "der", type: "spki" });
}

/**
 * A private key: the seed of 32 bytes, seed and public key in 64, or 48 bytes of PKCS #8.
 *
 * @throws {TypeError} Another length, another structure, or a public half that is not the seed's.
 */
export function importPrivateKey(bytes: Uint8Array, at: string): KeyObject {
  const raw = bytes.length === 48 ? unwrap(bytes, PKCS8, at) : bytes;
  if (raw.length !== 32 && raw.length !== 64) {
    throw new TypeError(
      `${at} is no ed25519 private key: it needs 32 bytes (seed), 64 (seed and public key) or 48 (PKCS #8)`,
    );
  }
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, raw.subarray(0, 32)]),
    format: "der",
    type: "pkcs8",
  });
  if (raw.length === 64) {
    const spki = createPublicKey(key).export({ format: "der", type: "spki" });
    // Signing with a foreign public half gives the seed away.
    if (!timingSafeEqual(spki.subarray(SPKI.length), raw.subarray(32))) {
      throw new TypeError(`${at} is no ed25519 private key: its public half is not the seed's`);
    }
  }
  return key;
}

/** The signature over the bytes; the same one each time (RFC 8032 section 5.1.6). */
export function signEd25519(key: KeyObject, bytes: Uint8Array): Uint8Array {
  return sign(null, bytes, key);
}

/** Whether one of the signatures over the bytes is the key's. Nothing here is secret. */
export function isSignedBy(
  key: KeyObject,
  bytes: Uint8Array,
  signatures: readonly Uint8Array[],
): boolean {
  return signatures.some((signature) => verify(null, bytes, key, signature));
}

function unwrap(bytes: Uint8Array, structure: Buffer, at: string): Uint8Array {
  const head = bytes.subarray(0, structure.length);
  if (!timingSafeEqual(head, structure)) {
    throw new TypeError(`${at} is no ed25519 key: its DER describes something else`);
  }
  return bytes.subarray(structure.length);
}
