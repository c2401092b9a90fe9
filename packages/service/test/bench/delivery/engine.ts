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
} from "./job.ts";

const keyOf = (endpoint: number): string => `sub_${String(endpoint)}`;
const vault = testVault();
/** The database of this process. */
const OWN = `bench_${String(process.pid)}`;
const databaseUrl = (name: string, port: number): string =>
  `postgres://postgres@127.0.0.1:${String(port)}/${name}`;

// The delivery engine over a store, with its own policy but the concurrency of the others.
await runJob(async (job) => {
  const driver = await openFilled(job);
  const release = job.holdsSnapshot === true ? await holdSnapshot(job) : () => {};
  const healthy = Array.from({ length: job.deliveries }, (_, number) =>
    endpointOf(number, job.slowEvery),
  ).filter((endpoint) => endpoint > 0).length;
  let delivered = 0;
  const done = Promise.withResolvers<void>();
  const { standard } = profiles;
  const policy = { ...deliveryPolicyOf(standard), concurrency: CONCURRENCY };
  const transport = undiciTransport({ deadlineMs: policy.deadlineMs, allowLoopback: true });
  const engine = new DeliveryEngine({
    id: "bench",
    store: deliveryStore(driver),
    transport,
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
  await done.promise;
  const rate = (healthy / (performance.now() - start)) * 1000;
  const { user, system } = process.cpuUsage(before);
  release();
  await engine.stop({ graceMs: 3000 });
  await driver.close();
  return { rate, cpu: (user + system) / healthy };
});

async function openStore({ kind, postgresPort }: BenchJob): Promise<Driver> {
  if (kind === "sqlite")
    return sqliteDriver(
      temporaryDatabase((cleanUp) => process.on("exit", () => void cleanUp())),
      { deliveryThread: true },
    );
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

/** A store with a subscription for each endpoint, and the job's deliveries. */
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
  const { deliveries, slowEvery } = job;
  const slow = `CASE WHEN i % ${String(slowEvery)} = 0 THEN 'sub_0' ELSE ${healthy} END`;
  const key = slowEvery > 0 ? slow : healthy;
  await fill(driver, { key, count: deliveries, nextAt: Date.now() - 60_000, payload: PAYLOAD });
  if (job.kind === "postgres") await driver.query("ANALYZE");
  return driver;
}
