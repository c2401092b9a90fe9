import { createPrivateKey, createPublicKey, type KeyObject, timingSafeEqual } from "node:crypto";

// RFC 8410: the DER before the 32 bytes of a public key and of a seed.
const SPKI = Buffer.from("302a300506032b6570032100", "hex");
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

/**
 * Imports a public key of 32 bytes, or of 44 bytes with SPKI around them.
 *
 * @throws {TypeError} Another length or structure.
 */
export function importPublicKey(bytes: Uint8Array, at: string): KeyObject {
  const raw = withoutDer(bytes, SPKI);
  if (raw.length !== 32)
    throw new TypeError(`${at} is not an ed25519 public key: expected 32 bytes, or 44 as SPKI`);
  return createPublicKey({ key: Buffer.concat([SPKI, raw]), format: "der", type: "spki" });
}

/**
 * Imports a private key: 32 bytes (seed), 64 bytes (seed and public key) or 48 bytes (PKCS #8).
 *
 * @throws {TypeError} Another length or structure, or a public half that does not belong to the seed.
 */
export function importPrivateKey(bytes: Uint8Array, at: string): KeyObject {
  const raw = withoutDer(bytes, PKCS8);
  const refuse = (reason: string): never => {
    throw new TypeError(`${at} is not an ed25519 private key: ${reason}`);
  };
  if (raw.length !== 32 && raw.length !== 64)
    refuse("expected 32 bytes (seed), 64 (seed and public key) or 48 (PKCS #8)");
  const der = Buffer.concat([PKCS8, raw.subarray(0, 32)]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  // Signing with a foreign public half reveals the seed.
  if (raw.length === 64 && !timingSafeEqual(publicKeyBytes(key), raw.subarray(32)))
    refuse("its public half does not belong to its seed");
  return key;
}

/** Returns the 32 bytes of the public half of either key. */
export function publicKeyBytes(key: KeyObject): Uint8Array {
  const publicKey = key.type === "public" ? key : createPublicKey(key);
  return publicKey.export({ format: "der", type: "spki" }).subarray(SPKI.length);
}

/** Returns the 32 bytes that follow `der`, or the bytes themselves if they have another form. */
function withoutDer(bytes: Uint8Array, der: Buffer): Uint8Array {
  const isWrapped = bytes.length === der.length + 32 && der.equals(bytes.subarray(0, der.length));
  return isWrapped ? bytes.subarray(der.length) : bytes;
}

// Edwards25519 (RFC 8032 section 5.1): -x² + y² = 1 + d x² y² over the integers modulo p.
const P = 2n ** 255n - 19n;
const D = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n;

/** The y of a point of order 8; the other one is p minus it. */
const Y_OF_ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;

/**
 * Orders 4, 8 and 8; with either sign of x these are six of the eight points of small order. The other two, y = 1 and
 * y = -1, have x = 0, which Euler's criterion rejects.
 */
const SMALL_ORDER: ReadonlySet<bigint> = new Set([0n, Y_OF_ORDER_8, P - Y_OF_ORDER_8]);

/**
 * True if 32 bytes canonically encode a point that can be a public key (RFC 8032 section 5.1.3): y below p, on the
 * curve, and not of small order.
 */
export function isUsablePoint(bytes: Uint8Array): boolean {
  const y = littleEndian(bytes) & (2n ** 255n - 1n);
  if (y >= P || SMALL_ORDER.has(y)) return false;
  // x² = numerator / denominator is a square if their product is one: Euler's criterion gives 1 for a square and 0
  // for x = 0.
  const ySquared = (y * y) % P;
  const product = (ySquared - 1n) * (D * ySquared + 1n);
  return power(product, (P - 1n) / 2n) === 1n;
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes.toReversed()).toString("hex")}`);
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base % P;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}
