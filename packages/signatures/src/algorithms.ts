import { createHash, createHmac, type KeyObject, sign, verify } from "node:crypto";
import type { Algorithm, Encoding } from "./provider.ts";

/** The facts about an algorithm that signing and verifying use. */
export interface AlgorithmFacts {
  /** `hash`: without HMAC, the secret being a part of the text. */
  readonly kind: "hmac" | "hash" | "public";
  /** Absent for ed25519, which hashes itself. */
  readonly hash?: "sha1" | "sha256" | "sha384" | "sha512";
  /** The exact length of a signature, if it is fixed. */
  readonly bytes?: number;
  /** The type of a public key. */
  readonly keyType?: "ed25519" | "ec" | "rsa";
  /** The `alg` of a JWT's header. */
  readonly token?: "HS256" | "ES256";
  readonly isWeak?: true;
}

export const ALGORITHMS: Readonly<Record<Algorithm, AlgorithmFacts>> = {
  "hmac-sha1": { kind: "hmac", hash: "sha1", bytes: 20, isWeak: true },
  "hmac-sha256": { kind: "hmac", hash: "sha256", bytes: 32 },
  "hmac-sha384": { kind: "hmac", hash: "sha384", bytes: 48 },
  "hmac-sha512": { kind: "hmac", hash: "sha512", bytes: 64 },
  sha1: { kind: "hash", hash: "sha1", bytes: 20, isWeak: true },
  sha256: { kind: "hash", hash: "sha256", bytes: 32, isWeak: true },
  ed25519: { kind: "public", bytes: 64, keyType: "ed25519" },
  "ecdsa-p256-sha256": { kind: "public", hash: "sha256", keyType: "ec" },
  "rsa-sha256": { kind: "public", hash: "sha256", keyType: "rsa" },
  "jwt-hs256": { kind: "hmac", hash: "sha256", bytes: 32, token: "HS256" },
  "jwt-es256": { kind: "public", hash: "sha256", bytes: 64, keyType: "ec", token: "ES256" },
};

/** The signed text in pieces, so that a large body is not copied to be hashed. */
export type Chunks = readonly (string | Uint8Array)[];

/** Returns the HMAC of a text, or without a key its digest. */
export function digestOf(
  { hash = "sha256" }: AlgorithmFacts,
  chunks: Chunks,
  key?: KeyObject,
): Buffer {
  const state = key === undefined ? createHash(hash) : createHmac(hash, key);
  for (const chunk of chunks) state.update(chunk);
  // Node returns a digest sooner as text than as bytes.
  return Buffer.from(state.digest("binary"), "latin1");
}

/** JWT writes an elliptic signature as two numbers, everybody else as DER. */
const dsaEncodingOf = ({ token }: AlgorithmFacts): "ieee-p1363" | "der" =>
  token === undefined ? "der" : "ieee-p1363";

/** Signs with a private key. */
export function signPublicly(algorithm: AlgorithmFacts, text: Uint8Array, key: KeyObject): Buffer {
  return sign(algorithm.hash, text, { key, dsaEncoding: dsaEncodingOf(algorithm) });
}

/** Verifies with a public key. */
export function isSignedPublicly(
  algorithm: AlgorithmFacts,
  text: Uint8Array,
  signature: { readonly key: KeyObject; readonly bytes: Uint8Array },
): boolean {
  const key = { key: signature.key, dsaEncoding: dsaEncodingOf(algorithm) };
  return verify(algorithm.hash, text, key, signature.bytes);
}

/** Returns the pieces of a text as one. */
export function joined(chunks: Chunks): Uint8Array {
  return Buffer.concat(
    chunks.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk)),
  );
}

/**
 * Decodes text that is the one spelling of its bytes: lower-case hexadecimal, or base64 whose unused bits are zero,
 * padded in the standard alphabet (RFC 4648 section 4), unpadded in that of URLs.
 */
export function decode(text: string, encoding: Encoding): Uint8Array | undefined {
  const bytes = Buffer.from(text, encoding);
  // `Buffer.from` skips what it does not understand.
  return bytes.toString(encoding) === text ? bytes : undefined;
}
