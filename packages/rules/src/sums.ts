/** The exact sum, in cents; 0 for no amounts. */
export function sumCents(amounts: Iterable<bigint>): bigint {
  let sum = 0n;
  for (const cents of amounts) sum += cents;
  return sum;
}

/**
 * Splits an amount into parts that differ by one cent at most, larger ones first. Their sum is the
 * amount; where there are more parts than cents, the last ones are 0.
 *
 * @param cents The amount, 0 or more.
 * @param parts How many, 1 or more.
 * @throws {TypeError} `cents` is negative, or `parts` is not a whole number from 1 on.
 */
export function splitCents(cents: bigint, parts: number): bigint[] {
  if (cents < 0n) throw new TypeError('"cents" must not be negative');
  if (!Number.isSafeInteger(parts) || parts < 1)
    throw new TypeError('"parts" must be a whole number, 1 or more');
  const share = cents / BigInt(parts);
  const larger = Number(cents % BigInt(parts));
  return Array.from({ length: parts }, (_, index) => (index < larger ? share + 1n : share));
}
