import { seeded } from "../../../../../test/fuzz/random.ts";

// What partitions by merchant come to: `node …/partitions.ts [SEED]`. Merchants' shares of the traffic fall
// with their rank, as one over it (Zipf), which is a hard case; a hash spreads them over the partitions; the
// busiest partition is full first, and what all of them do together then is what there is.

export interface Partitioned {
  readonly partitions: number;
  /** Share of the busiest one, of which 1/partitions is the least that it can be. */
  readonly busiest: number;
  /** How many single databases' rates all of them reach when the busiest one is full. */
  readonly speedup: number;
  /** The same, where the largest merchants are placed by hand, one after another, where least is. */
  readonly placed: number;
}

const MERCHANTS = 10_000;
/** Merchants that are placed by hand. */
const PLACED = 100;
const RUNS = 200;

export function partitioned(partitions: number, seed: number): Partitioned {
  const random = seeded(seed);
  const weights = Array.from({ length: MERCHANTS }, (_, rank) => 1 / (rank + 1));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let [hashed, byHand] = [0, 0];
  for (let run = 0; run < RUNS; run += 1) {
    const loads = Array.from({ length: partitions }, () => 0);
    const placed = Array.from({ length: partitions }, () => 0);
    weights.forEach((weight, rank) => {
      const at = random.int(partitions);
      const least = placed.indexOf(Math.min(...placed));
      add(loads, at, weight / whole);
      add(placed, rank < PLACED ? least : at, weight / whole);
    });
    hashed += Math.max(...loads) / RUNS;
    byHand += Math.max(...placed) / RUNS;
  }
  return { partitions, busiest: hashed, speedup: 1 / hashed, placed: 1 / byHand };
}

function add(loads: number[], at: number, weight: number): void {
  loads[at] = (loads[at] ?? 0) + weight;
}

if (import.meta.main) {
  const seed = Number(process.argv[2] ?? 1);
  for (const partitions of [1, 2, 4, 8, 16, 32]) {
    const { busiest, speedup, placed } = partitioned(partitions, seed);
    console.log(
      `${String(partitions)} partitions: busiest ${(busiest * 100).toFixed(1)} %, ` +
        `${speedup.toFixed(2)} databases by hash, ${placed.toFixed(2)} with ${String(PLACED)} placed by hand`,
    );
  }
}
