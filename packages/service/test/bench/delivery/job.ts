import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";

/** The job of one process of the benchmark: JSON in its first argument. */
export interface BenchJob {
  readonly kind: "memory" | "sqlite" | "postgres" | "pg-boss" | "graphile-worker" | "bullmq";
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
  /** Holds a snapshot on PostgreSQL, as a backup does, from before the first delivery. */
  readonly holdsSnapshot: boolean;
}

/** The process's output, as JSON. */
export interface BenchFigures {
  /** Deliveries per second to the endpoints that are not slow. */
  readonly rate: number;
  /** CPU time of this process for each of them, in microseconds. */
  readonly cpu: number;
  /** The same of the database's processes; `NaN` without one, and where `/proc` does not report it. */
  readonly serverCpu: number;
}

/** Runs one process of the benchmark: no kind inherits another one's heap or compiled code. */
export async function runJob(figuresOf: (job: BenchJob) => Promise<BenchFigures>): Promise<void> {
  // Written by the benchmark.
  const job = JSON.parse(process.argv[2] ?? "") as BenchJob;
  process.stdout.write(`${JSON.stringify(await figuresOf(job))}\n`, () => process.exit());
}

/** Concurrent attempts, of every kind. */
export const CONCURRENCY = 256;
/** The database of this process. */
const OWN = `bench_${String(process.pid)}`;

/** URL of a database, by default that of this process. */
export const databaseUrl = ({ postgresPort }: BenchJob, name = OWN): string =>
  `postgres://postgres@127.0.0.1:${String(postgresPort)}/${name}`;

/** Creates the database of this process. @returns Its URL. */
export async function createDatabase(job: BenchJob): Promise<string> {
  const admin = new pg.Client(databaseUrl(job, "postgres"));
  await admin.connect();
  await admin.query(`CREATE DATABASE ${OWN}`);
  await admin.end();
  return databaseUrl(job);
}

/** One tick of `/proc` in microseconds. */
const TICK = 10_000;

/** CPU time that the server of a port has used so far, with its children, in microseconds. */
export function serverCpu({ kind, postgresPort, redisPort }: BenchJob): number {
  if (kind === "memory" || kind === "sqlite") return Number.NaN;
  const port = String(kind === "bullmq" ? redisPort : postgresPort);
  try {
    const all = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => ({ pid, line: textOf(`/proc/${pid}/cmdline`), stat: statOf(pid) }));
    const main = all.find(
      ({ line, stat }) => line.includes(port) && /^(?:postgres|redis)/.test(stat[0] ?? ""),
    );
    if (main === undefined) return Number.NaN;
    // After the name: 1 is the parent, 11 to 14 are the times of the process and of its children that have ended.
    const ticks = (stat: readonly string[], to: number): number =>
      stat.slice(12, to).reduce((sum, one) => sum + Number(one), 0);
    const children = all.filter(({ stat }) => stat[2] === main.pid);
    const sum = children.reduce((one, { stat }) => one + ticks(stat, 14), ticks(main.stat, 16));
    return sum * TICK;
  } catch {
    return Number.NaN;
  }
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // The process has ended.
    return "";
  }
};
/** The name, then the fields after it. */
function statOf(pid: string): string[] {
  const [, name = "", rest = ""] = /\((.*)\) (.*)/s.exec(textOf(`/proc/${pid}/stat`)) ?? [];
  return [name, ...rest.trim().split(" ")];
}

/** Keeps every row of a database that the run replaces, as a backup does. */
export async function holdSnapshot(url: string): Promise<void> {
  const client = new pg.Client(url);
  client.on("error", () => {});
  await client.connect();
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  await client.query("SELECT count(*) FROM pg_class");
}

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
