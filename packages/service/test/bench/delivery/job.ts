/** The job of one process of the benchmark: JSON in its first argument. */
export interface BenchJob {
  readonly kind: "memory" | "sqlite" | "postgres" | "bullmq";
  /** Port of the sink, on every loopback address. */
  readonly sinkPort: number;
  /** Ports of PostgreSQL and Redis. */
  readonly postgresPort: number;
  readonly redisPort: number;
  readonly deliveries: number;
  /** Every delivery whose number is a multiple of this goes to the slow endpoint; 0: none does. */
  readonly slowEvery: number;
  /** Deliveries that are due a day later. */
  readonly later: number;
  /** True holds a snapshot on PostgreSQL for five minutes, as a backup does. */
  readonly holdsSnapshot?: boolean;
}

/** The process's output, as JSON. */
export interface BenchFigures {
  /** Deliveries per second to the endpoints that are not slow. */
  readonly rate: number;
  /** CPU time of this process for each of them, in microseconds. */
  readonly cpu: number;
  readonly snapshot?: SnapshotRates;
}

/** Deliveries per second before, early and late in, and after the time in which a snapshot was held. */
export type SnapshotRates = Readonly<Record<"before" | "early" | "late" | "after", number>>;

/** Runs one process of the benchmark: no kind inherits another one's heap or compiled code. */
export async function runJob(figuresOf: (job: BenchJob) => Promise<BenchFigures>): Promise<void> {
  // Written by the benchmark.
  const job = JSON.parse(process.argv[2] ?? "") as BenchJob;
  process.stdout.write(`${JSON.stringify(await figuresOf(job))}\n`, () => process.exit());
}

/** Concurrent attempts, of every kind. */
export const CONCURRENCY = 64;
/** Endpoints in addition to the slow one; each has its own address. */
export const ENDPOINTS = 49;
export const SECRET = "a-secret-of-24-characters-or-more";
/** About a kilobyte. */
export const PAYLOAD: string = JSON.stringify({
  id: "evt_1",
  type: "refund.authorized",
  category: "PAYMENT",
  timestamp: "2026-11-02T12:00:00.000Z",
  data: { paymentId: "ref_1", note: "x".repeat(900) },
});

/** Index of a delivery's endpoint: 0 is the slow one. */
export function endpointOf(number: number, slowEvery: number): number {
  return slowEvery > 0 && number % slowEvery === 0 ? 0 : 1 + (number % ENDPOINTS);
}

export function urlOf(endpoint: number, { sinkPort }: BenchJob): string {
  const path = endpoint === 0 ? "slow" : "hooks";
  return `http://127.0.0.${String(endpoint + 1)}:${String(sinkPort)}/${path}`;
}
