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
} from "./job.ts";

const keyOf = (endpoint: number): string => `sub_${String(endpoint)}`;
const vault = testVault();
// The delivery engine over a store, with its own policy but the concurrency of the others.
await runJob(async (job) => {
  const { driver, url } = await openFilled(job);
  const healthy = Array.from({ length: job.deliveries }, (_, number) =>
    endpointOf(number, job.slowEvery),
  ).filter((endpoint) => endpoint > 0).length;
  let delivered = 0;
  const done = Promise.withResolvers<void>();
  const { standard } = profiles;
  const policy = { ...deliveryPolicyOf(standard), concurrency: CONCURRENCY };
  const engine = new DeliveryEngine({
    store: deliveryStore(driver),
    transport: undiciTransport({ deadlineMs: policy.deadlineMs, allowLoopback: true }),
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
  if (job.holdsSnapshot && job.kind === "postgres") await holdSnapshot(url);
  const start = performance.now();
  const before = process.cpuUsage();
  const serverBefore = serverCpu(job);
  engine.start();
  await done.promise;
  const rate = (healthy / (performance.now() - start)) * 1000;
  const { user, system } = process.cpuUsage(before);
  const server = serverCpu(job) - serverBefore;
  await engine.stop({ graceMs: 3000 });
  await driver.close();
  return { rate, cpu: (user + system) / healthy, serverCpu: server / healthy };
});

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
