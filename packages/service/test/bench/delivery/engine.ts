import { setTimeout } from "node:timers/promises";
import { profiles } from "@countersign/schemas/profiles";
import pg from "pg";
import { DueClock, systemClock } from "../../../src/clock.ts";
import { undiciTransport } from "../../../src/delivery/egress/transport.ts";
import { DeliveryEngine } from "../../../src/delivery/engine.ts";
import { deliveryPolicyOf } from "../../../src/delivery/policy.ts";
import { signerOf } from "../../../src/delivery/attempt.ts";
import { systemRandom } from "../../../src/random.ts";
import type { Driver } from "../../../src/store/driver.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { postgresDriver } from "../../../src/store/postgres/driver.ts";
import { sqliteDriver } from "../../../src/store/sqlite/driver.ts";
import { deliveryStore } from "../../../src/store/tables/delivery-queue.ts";
import { secretPlace } from "../../../src/store/tables/subscriptions.ts";
import { fill } from "../../delivery/backlog.ts";
import { insert } from "../../store/rows.ts";
import { temporaryDatabase } from "../../temporary-database.ts";
import { testVault } from "../../test-vault.ts";
import {
  CONCURRENCY,
  endpointOf,
  ENDPOINTS,
  PAYLOAD,
  runJob,
  SECRET,
  urlOf,
  type BenchJob,
  type SnapshotRates,
} from "./job.ts";

const keyOf = (endpoint: number): string => `sub_${String(endpoint)}`;
const vault = testVault();
/** One merchant has three quarters of the places. */
const MERCHANTS_SHARE = Math.floor((CONCURRENCY * 4) / 3);
/** The database of this process. */
const OWN = `bench_${String(process.pid)}`;
const databaseUrl = (name: string, port: number): string =>
  `postgres://postgres@127.0.0.1:${String(port)}/${name}`;
/** A snapshot is held for so long, and a rate of it is measured over so long. */
const HELD_MS = 300_000;
const PHASE_MS = 20_000;
/** Delay of each POST between the measurements: about 600 deliveries a second. */
const SLOWED_MS = 100;

// The delivery engine over a store, with its own policy but the concurrency of the others.
await runJob(async (job) => {
  const driver = await openFilled(job);
  const healthy = Array.from({ length: job.deliveries }, (_, number) =>
    endpointOf(number, job.slowEvery),
  ).filter((endpoint) => endpoint > 0).length;
  let delivered = 0;
  let delayMs = 0;
  const done = Promise.withResolvers<void>();
  const { standard } = profiles;
  const policy = { ...deliveryPolicyOf(standard), concurrency: MERCHANTS_SHARE };
  const transport = undiciTransport({ deadlineMs: policy.deadlineMs, allowLoopback: true });
  const engine = new DeliveryEngine({
    id: "bench",
    store: deliveryStore(driver),
    transport: {
      post: async (request) => {
        if (delayMs > 0) await setTimeout(delayMs);
        return transport.post(request);
      },
      close: () => transport.close(),
    },
    policy,
    vault,
    clock: systemClock,
    dueClock: new DueClock(systemClock),
    random: systemRandom,
    sign: signerOf(standard),
    endpoints: { allowLoopback: true },
    userAgent: "Countersign/bench",
    observer: {
      attempted: ({ attempt, state }) => {
        if (state !== "delivered") throw new Error("an attempt failed");
        if (attempt.endpoint.key !== keyOf(0)) delivered += 1;
        if (delivered === healthy) done.resolve();
      },
      failed: (error) => done.reject(error),
    },
  });
  const start = performance.now();
  const before = process.cpuUsage();
  engine.start();
  if (job.holdsSnapshot === true) {
    const slow = (ms: number): void => void (delayMs = ms);
    const snapshot = await rateSnapshot(job, { delivered: () => delivered, slow });
    await engine.stop({ graceMs: 3000 });
    await driver.close();
    return { rate: Number.NaN, cpu: Number.NaN, snapshot };
  }
  await done.promise;
  const rate = (healthy / (performance.now() - start)) * 1000;
  const { user, system } = process.cpuUsage(before);
  await engine.stop({ graceMs: 3000 });
  await driver.close();
  return { rate, cpu: (user + system) / healthy };
});

/** Measures the full rate before, at the beginning and end of, and after a snapshot that is held for five minutes. */
async function rateSnapshot(
  job: BenchJob,
  { delivered, slow }: { readonly delivered: () => number; readonly slow: (ms: number) => void },
): Promise<SnapshotRates> {
  const rate = async (): Promise<number> => {
    const [from, at] = [delivered(), performance.now()];
    await setTimeout(PHASE_MS);
    return ((delivered() - from) / (performance.now() - at)) * 1000;
  };
  // Compiles the code and fills the caches.
  await setTimeout(10_000);
  const before = await rate();
  const release = await holdSnapshot(job);
  const early = await rate();
  // Fewer deliveries in between: at the full rate the database would have to begin with millions.
  slow(SLOWED_MS);
  await setTimeout(HELD_MS - 2 * PHASE_MS);
  slow(0);
  const late = await rate();
  release();
  const after = await rate();
  if (delivered() === job.deliveries) throw new Error("too few deliveries for this machine");
  return { before, early, late, after };
}

async function openStore({ kind, postgresPort }: BenchJob): Promise<Driver> {
  if (kind === "sqlite")
    return sqliteDriver(temporaryDatabase((cleanUp) => process.on("exit", () => void cleanUp())));
  const admin = new pg.Client(databaseUrl("postgres", postgresPort));
  await admin.connect();
  await admin.query(`CREATE DATABASE ${OWN}`);
  await admin.end();
  return postgresDriver({ url: databaseUrl(OWN, postgresPort) });
}

/** Keeps every row that the run replaces, as a backup does. @returns Ends that. */
async function holdSnapshot({ postgresPort }: BenchJob): Promise<() => void> {
  const client = new pg.Client(databaseUrl(OWN, postgresPort));
  client.on("error", () => {});
  await client.connect();
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  await client.query("SELECT count(*) FROM merchants");
  return () => void client.end();
}

/** A store with a subscription for each endpoint, and the job's deliveries that are due now and a day later. */
async function openFilled(job: BenchJob): Promise<Driver> {
  const driver = await openStore(job);
  await migrate(driver, { now: Date.now() });
  await driver.transaction(async (tx) => {
    await insert(tx, "merchants", { id: "mer_1" });
    for (let endpoint = 0; endpoint <= ENDPOINTS; endpoint += 1) {
      const key = keyOf(endpoint);
      const { text, keyId } = vault.seal(SECRET, secretPlace(key));
      const sealed = { secret: text, secret_key_id: keyId };
      const row = { key, merchant_id: "mer_1", url: urlOf(endpoint, job), ...sealed };
      await insert(tx, "subscriptions", row);
    }
  });
  // As `endpointOf` says.
  const healthy = `'sub_' || (1 + i % ${String(ENDPOINTS)})`;
  const { deliveries, later, slowEvery } = job;
  const slow = `CASE WHEN i % ${String(slowEvery)} = 0 THEN 'sub_0' ELSE ${healthy} END`;
  const now = Date.now();
  await fill(driver, { name: "late", key: healthy, count: later, nextAt: now + 86_400_000 });
  const key = slowEvery > 0 ? slow : healthy;
  await fill(driver, { key, count: deliveries, nextAt: now - 60_000, payload: PAYLOAD });
  if (job.kind === "postgres") await driver.query("ANALYZE");
  return driver;
}
