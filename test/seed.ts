import { randomInt } from "node:crypto";
import fc from "fast-check";

/** Seed of a run's random choices; `npm run test:long -- --seed N` repeats one. */
export const seed = Number(process.env["COUNTERSIGN_SEED"] ?? randomInt(2 ** 31));

/** Some of a list, in its order, drawn by the seed. The quick lane takes so many; the long lane takes them all. */
export function drawn<T>(all: readonly T[], count: number): readonly T[] {
  const some = fc.subarray([...all], { minLength: count, maxLength: count });
  return fc.sample(some, { numRuns: 1, seed })[0] ?? [];
}
