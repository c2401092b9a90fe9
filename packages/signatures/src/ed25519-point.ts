// Edwards25519 (RFC 8032 section 5.1): -x² + y² = 1 + d x² y² over the integers modulo p.
const P = 2n ** 255n - 19n;
const D = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n;

/** The y of a point whose order is 8; the other one is p minus it. */
const Y_OF_ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;

/**
 * Orders 4, 8 and 8; with either sign of x these are six of the eight points of small order. The
 * other two, y = 1 and y = -1, have x = 0, which is no square of anything else either.
 */
const SMALL_ORDER: ReadonlySet<bigint> = new Set([0n, Y_OF_ORDER_8, P - Y_OF_ORDER_8]);

/**
 * Whether 32 bytes are the canonical encoding of a point that can be a public key (RFC 8032
 * section 5.1.3): y below p, on the curve, and not of small order. Some versions of OpenSSL accept
 * a signature of any message under a key of small order.
 */
export function isUsablePoint(bytes: Uint8Array): boolean {
  const y = littleEndian(bytes) & (2n ** 255n - 1n);
  if (y >= P || SMALL_ORDER.has(y)) return false;
  // x² is numerator / denominator, which is a square where their product is: Euler's criterion
  // gives 1 for a square, and 0 for x = 0.
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
