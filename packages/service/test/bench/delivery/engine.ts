import { profiles } from "@countersign/schemas/profiles";
import pg from "pg";
import { systemClock } from "../../../src/clock.ts";
import { createDeliveryEngine } from "../../../src/delivery/delivery-engine.ts";
import { deliveryThread } from "../../../src/delivery/delivery-thread-url.ts";
import { deliveryPolicyOf } from "../../../src/delivery/policy.ts";
import { signerOf } from "../../../src/delivery/signer.ts";
import { undiciTransport } from "../../../src/delivery/undici-transport.ts";
import { systemRandom } from "../../../src/random.ts";
import type { Driver } from "../../../src/store/driver.ts";
import { postgresDriver } from "../../../src/store/postgres/driver.ts";
import { sqliteDriver } from "../../../src/store/sqlite/driver.ts";
import { fill } from "../../delivery/backlog.ts";
import { queueOf, type Queue } from "../../delivery/queue.ts";
import { temporaryDatabase } from "../../temporary-database.ts";
import {
  CONCURRENCY,
  endpointOf,
  ENDPOINTS,
  PAYLOAD,
  runJob,
  urlOf,
  type BenchJob,
} from "./job.ts";

const keyOf = (endpoint: number): string => `sub_${String(endpoint)}`;

// The delivery engine over a store, with its own policy but the concurrency of the others.
await runJob(async (job) => {
  const queue = await openFilled(job);
  const healthy = Array.from({ length: job.deliveries }, (_, number) =>
    endpointOf(number, job.slowEvery),
  ).filter((endpoint) => endpoint > 0).length;
  let delivered = 0;
  const done = Promise.withResolvers<void>();
  const { standard } = profiles;
  const policy = { ...deliveryPolicyOf(standard), concurrency: CONCURRENCY };
  const engine = createDeliveryEngine({
    ...queue.ports(undiciTransport({ deadlineMs: policy.deadlineMs, allowLoopback: true })),
    policy,
    clock: systemClock,
    random: systemRandom,
    sign: signerOf(standard),
    moveDueRefunds: async () => ({ passedOver: [] }),
    observer: {
      attempted: ({ attempt, settled }) => {
        if (settled.state !== "delivered") throw new Error("an attempt failed");
        if (attempt.claim.subscription.key !== keyOf(0)) delivered += 1;
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
  await engine.stop({ graceMs: 3000 });
  await queue.driver.close();
  return { rate, cpu: (user + system) / healthy };
});

async function openStore({ kind, postgresPort }: BenchJob): Promise<Driver> {
  if (kind === "sqlite") {
    const file = temporaryDatabase((cleanUp) => process.on("exit", () => void cleanUp()));
    return sqliteDriver(file, { thread: deliveryThread });
  }
  const url = (name: string): string =>
    `postgres://postgres@127.0.0.1:${String(postgresPort)}/${name}`;
  const own = `bench_${String(process.pid)}`;
  const admin = new pg.Client(url("postgres"));
  await admin.connect();
  await admin.query(`CREATE DATABASE ${own}`);
  await admin.end();
  return postgresDriver({ url: url(own) });
}

/** A store with a subscription for each endpoint, and the job's deliveries that are due now and a day later. */
async function openFilled(job: BenchJob): Promise<Queue> {
  const queue = await queueOf(await openStore(job));
  for (let endpoint = 0; endpoint <= ENDPOINTS; endpoint += 1)
    await queue.subscribe(keyOf(endpoint), { url: urlOf(endpoint, job), clockId: "live" });
  // As `endpointOf` says.
  const healthy = `'sub_' || (1 + i % ${String(ENDPOINTS)})`;
  const { deliveries, later, slowEvery } = job;
  const slow = `CASE WHEN i % ${String(slowEvery)} = 0 THEN 'sub_0' ELSE ${healthy} END`;
  const [now, all] = [Date.now(), { clock: "live", payload: PAYLOAD } as const];
  const aDayLater = { ...all, key: healthy, nextAt: now + 86_400_000, payload: "{}", name: "late" };
  await fill(queue, { ...aDayLater, count: later });
  const due = { ...all, key: slowEvery > 0 ? slow : healthy, nextAt: now - 60_000 };
  await fill(queue, { ...due, count: deliveries });
  if (job.kind === "postgres") await queue.write("ANALYZE");
  return queue;
}
