import { setTimeout } from "node:timers/promises";
import { profiles } from "@countersign/schemas/profiles";
import { DueClock, systemClock } from "../../../src/clock.ts";
import { undiciTransport } from "../../../src/delivery/egress/transport.ts";
import { DeliveryEngine } from "../../../src/delivery/deliver.ts";
import { deliveryPolicyOf } from "../../../src/delivery/policy.ts";
import { signerOf } from "../../../src/delivery/signer.ts";
import { systemRandom } from "../../../src/random.ts";
import type { Driver } from "../../../src/store/driver.ts";
import { createTables } from "../../../src/store/create-tables.ts";
import { postgresDriver } from "../../../src/store/postgres/driver.ts";
import { sqliteDriver } from "../../../src/store/sqlite/driver.ts";
import { deliveryStore } from "../../../src/store/tables/delivery-queue.ts";
import { fill } from "../../delivery/backlog.ts";
import { insert } from "../../store/rows.ts";
import { temporaryDatabase } from "../../temporary-database.ts";
import { testVault } from "../../test-vault.ts";
import {
  CONCURRENCY,
  createDatabase,
  endpointOf,
  ENDPOINTS,
  holdSnapshot,
  PAYLOAD,
  runJob,
  SECRET,
  serverCpu,
  urlOf,
  type BenchJob,
  type SnapshotRates,
} from "./job.ts";

const keyOf = (endpoint: number): string => `sub_${String(endpoint)}`;
const vault = testVault();
/** A snapshot is held for so long, and a rate of it is measured over so long. */
const HELD_MS = 300_000;
const PHASE_MS = 20_000;
/** Delay of each POST between the measurements: about 600 deliveries a second. */
const SLOWED_MS = 100;

// The delivery engine over a store, with its own policy but the concurrency of the others.
await runJob(async (job) => {
  const { driver, url } = await openFilled(job);
  const healthy = Array.from({ length: job.deliveries }, (_, number) =>
    endpointOf(number, job.slowEvery),
  ).filter((endpoint) => endpoint > 0).length;
  let delivered = 0;
  let delayMs = 0;
  const done = Promise.withResolvers<void>();
  const { standard } = profiles;
  const policy = { ...deliveryPolicyOf(standard), concurrency: CONCURRENCY };
  const transport = undiciTransport({ deadlineMs: policy.deadlineMs, allowLoopback: true });
  const engine = new DeliveryEngine({
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
      storeFailed: (error) => done.reject(error),
      attemptBroke: (error) => done.reject(error),
    },
  });
  if (job.snapshot === "whole run" && job.kind === "postgres") await holdSnapshot(url);
  const start = performance.now();
  const before = process.cpuUsage();
  const serverBefore = serverCpu(job);
  engine.start();
  if (job.snapshot === "five minutes") {
    const slow = (ms: number): void => void (delayMs = ms);
    const snapshot = await rateSnapshot(job, { url, delivered: () => delivered, slow });
    await engine.stop({ graceMs: 3000 });
    await driver.close();
    return { rate: Number.NaN, cpu: Number.NaN, serverCpu: Number.NaN, snapshot };
  }
  await done.promise;
  const rate = (healthy / (performance.now() - start)) * 1000;
  const { user, system } = process.cpuUsage(before);
  const server = serverCpu(job) - serverBefore;
  await engine.stop({ graceMs: 3000 });
  await driver.close();
  return { rate, cpu: (user + system) / healthy, serverCpu: server / healthy };
});

/** Measures the full rate before, at the beginning and end of, and after a snapshot that is held for five minutes. */
async function rateSnapshot(
  job: BenchJob,
  {
    url,
    delivered,
    slow,
  }: {
    readonly url: string;
    readonly delivered: () => number;
    readonly slow: (ms: number) => void;
  },
): Promise<SnapshotRates> {
  const rate = async (): Promise<number> => {
    const [from, at] = [delivered(), performance.now()];
    await setTimeout(PHASE_MS);
    return ((delivered() - from) / (performance.now() - at)) * 1000;
  };
  // Compiles the code and fills the caches.
  await setTimeout(10_000);
  const before = await rate();
  const release = await holdSnapshot(url);
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

async function openStore(
  job: BenchJob,
): Promise<{ readonly driver: Driver; readonly url: string }> {
  if (job.kind === "sqlite") {
    const url = temporaryDatabase((cleanUp) => process.on("exit", () => void cleanUp()));
    return { driver: sqliteDriver(url), url };
  }
  const url = await createDatabase(job);
  return { driver: postgresDriver({ url }), url };
}

/** A store with a subscription for each endpoint, and the job's deliveries that are due now and a day later. */
async function openFilled(job: BenchJob): ReturnType<typeof openStore> {
  const { driver, url } = await openStore(job);
  await createTables(driver);
  await driver.transaction(async (tx) => {
    await insert(tx, "merchants", { id: "mer_1" });
    for (let endpoint = 0; endpoint <= ENDPOINTS; endpoint += 1) {
      const key = keyOf(endpoint);
      const { text, keyId } = vault.seal(SECRET, key);
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
  return { driver, url };
}
