/** What one process of the benchmark is told, as JSON in its first argument. */
export interface BenchJob {
  readonly kind:
    | "memory"
    | "sqlite"
    | "postgres"
    | "pg-boss"
    | "graphile-worker"
    | "bullmq"
    | "processes"
    | "one-of-many"
    | "latency-sqlite"
    | "latency-postgres";
  /** Where the sink listens, on every loopback address. */
  readonly sinkPort: number;
  /** Where PostgreSQL and Redis listen. */
  readonly postgresPort: number;
  readonly redisPort: number;
  readonly deliveries: number;
  /** Each so-manieth delivery goes to the slow endpoint; 0: none does. */
  readonly slowEvery: number;
  /** Rows beside them that are due much later. */
  readonly later: number;
  /** Events per second that are written beside, where latency is measured; 0: as many as it can. */
  readonly offered: number;
  /** How many of them deliver, where several do. */
  readonly processes: number;
  /** The database that others have made. */
  readonly database?: string;
}

/** What it prints, as JSON. */
export interface BenchFigures {
  /** Deliveries per second to the endpoints that are not slow. */
  readonly rate: number;
  /** Microseconds of this process's time on a processor for each of them; no noise of other processes. */
  readonly cpu?: number;
  /** Milliseconds from commit to the arrival at the sink. */
  readonly latency?: { readonly p50: number; readonly p99: number };
}

/** Attempts at one time, of every kind. */
export const CONCURRENCY = 64;
/** Endpoints beside the slow one; each has an address of its own. */
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

/** Which endpoint a delivery goes to: 0 is the slow one. */
export function endpointOf(number: number, slowEvery: number): number {
  return slowEvery > 0 && number % slowEvery === 0 ? 0 : 1 + (number % ENDPOINTS);
}

export function urlOf(
  endpoint: number,
  { sinkPort }: Pick<BenchJob, "sinkPort">,
  path = endpoint === 0 ? "slow" : "hooks",
): string {
  return `http://127.0.0.${String(endpoint + 1)}:${String(sinkPort)}/${path}`;
}
