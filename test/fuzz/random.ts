/** Random choices that a seed repeats. */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number;
  pick<T>(list: readonly T[]): T;
  bytes(length: number): Buffer;
}

/** mulberry32: one 32-bit state, enough for choices. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const int = (below: number): number => next() % below;
  return {
    int,
    pick(list) {
      const chosen = list[int(list.length)];
      // An empty list is a mistake of the campaign, not a case.
      if (chosen === undefined) throw new Error("nothing to pick from");
      return chosen;
    },
    bytes: (length) => Buffer.from(Array.from({ length }, () => int(256))),
  };
}
