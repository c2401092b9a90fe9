import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { profiles } from "@countersign/schemas/profiles";
import pg from "pg";
import { request } from "undici";
import {
  createDeliveryEngine,
  type DeliveryEngine,
} from "../../../src/delivery/delivery-engine.ts";
import { deliveryThread } from "../../../src/delivery/delivery-thread-url.ts";
import { deliveryPolicyOf } from "../../../src/delivery/policy.ts";
import type { SettledAttempt } from "../../../src/delivery/settled-attempt.ts";
import { signerOf } from "../../../src/delivery/signer.ts";
import { undiciTransport } from "../../../src/delivery/undici-transport.ts";
import { systemClock } from "../../../src/clock.ts";
import { systemRandom } from "../../../src/random.ts";
import type { Driver } from "../../../src/store/driver.ts";
import { postgresDriver } from "../../../src/store/postgres-driver.ts";
import { sqliteDriver } from "../../../src/store/sqlite-driver.ts";
import { fill } from "../../delivery/backlog.ts";
import { Queue, queueOf } from "../../delivery/queue.ts";
import { temporaryDatabase } from "../../temporary-database.ts";
import {
  CONCURRENCY,
  endpointOf,
  ENDPOINTS,
  PAYLOAD,
  urlOf,
  type BenchFigures,
  type BenchJob,
} from "./job.ts";

const keyOf = (endpoint: number): string => `sub_${String(endpoint)}`;
const databaseUrl = (postgresPort: number, name: string): string =>
  `postgres://postgres@127.0.0.1:${String(postgresPort)}/${name}`;
const ownDatabase = `bench_${String(process.pid)}`;

/** The delivery engine over a store, with its own policy but the concurrency of the others. */
export async function engineRate(job: BenchJob): Promise<BenchFigures> {
  const queue = await openFilled(job);
  const isSlow = ({ attempt }: SettledAttempt): boolean =>
    attempt.claim.subscription.key === keyOf(0);
  const healthy = Array.from({ length: job.deliveries }, (_, number) =>
    endpointOf(number, job.slowEvery),
  ).filter((endpoint) => endpoint > 0).length;
  let delivered = 0;
  const done = Promise.withResolvers<void>();
  const engine = engineOver(queue, {
    attempted: (settled) => {
      if (settled.settled.state !== "delivered") throw new Error("an attempt failed");
      if (!isSlow(settled)) delivered += 1;
      if (delivered === healthy) done.resolve();
    },
    failed: (error) => done.reject(error),
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
}

/** Events are written beside: the time from COMMIT to the sink, at the rate that is offered or as fast as it goes. */
export async function engineLatency(job: BenchJob): Promise<BenchFigures> {
  const queue = await openFilled({ ...job, deliveries: 0 }, "timed");
  const engine = engineOver(queue, { failed: (error) => console.error(error) });
  engine.start();
  const committed = new Map<string, number>();
  const write = async (number: number): Promise<void> => {
    const key = keyOf(endpointOf(number, 0));
    const options = { clockId: "live", nextAt: Date.now(), payload: PAYLOAD };
    const id = await queue.enqueue(key, options);
    committed.set(id.replace("dlv", "evt"), performance.timeOrigin + performance.now());
    engine.onWork();
  };
  const start = performance.now();
  if (job.offered === 0) await asFastAsTheyGo(job.deliveries, write);
  else await steadily(job, write);
  const waits: number[] = [];
  while (waits.length < job.deliveries) {
    const answer = await request(urlOf(1, job, "arrivals"));
    for (const line of (await answer.body.text()).split("\n").filter(Boolean)) {
      const [id = "", at] = line.split(" ");
      waits.push(Number(at) - (committed.get(id) ?? Number.NaN));
    }
    await setTimeout(20);
  }
  const rate = (job.deliveries / (performance.now() - start)) * 1000;
  // The first second opens connections and compiles.
  const sorted = waits.slice(job.offered).toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN;
  await engine.stop({ graceMs: 3000 });
  await queue.driver.close();
  return { rate, latency: { p50: at(0.5), p99: at(0.99) } };
}

type Write = (number: number) => Promise<void>;

async function asFastAsTheyGo(count: number, write: Write): Promise<void> {
  const numbers = Array.from({ length: count }).keys();
  const writer = async (): Promise<void> => {
    for (const number of numbers) await write(number);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, writer));
}

async function steadily({ deliveries, offered }: BenchJob, write: Write): Promise<void> {
  const start = performance.now();
  const writes: Promise<void>[] = [];
  while (writes.length < deliveries) {
    const due = Math.min(((performance.now() - start) / 1000) * offered, deliveries);
    while (writes.length < due) writes.push(write(writes.length));
    await setTimeout(1);
  }
  await Promise.all(writes);
}

function engineOver(
  queue: Queue,
  observer: Parameters<typeof createDeliveryEngine>[0]["observer"] & object,
): DeliveryEngine {
  const policy = { ...deliveryPolicyOf(profiles.standard), concurrency: CONCURRENCY };
  return createDeliveryEngine({
    ...queue.ports(undiciTransport({ deadlineMs: policy.deadlineMs, allowLoopback: true })),
    policy,
    clock: systemClock,
    random: systemRandom,
    sign: signerOf(profiles.standard),
    moveDueRefunds: async () => ({ passedOver: [] }),
    observer,
  });
}

/** Several processes on one PostgreSQL, each with its own engine: what all of them do. */
export async function processesRate(job: BenchJob): Promise<BenchFigures> {
  const { driver } = await openFilled(job);
  const script = fileURLToPath(new URL("run.ts", import.meta.url));
  const children = await Promise.all(
    Array.from({ length: job.processes }, async () => {
      const one: BenchJob = { ...job, kind: "one-of-many", database: ownDatabase };
      const child = spawn(process.execPath, [...process.execArgv, script, JSON.stringify(one)], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      await once(child.stdout, "data");
      return child;
    }),
  );
  const start = performance.now();
  for (const child of children) child.stdin.write("go\n");
  for (;;) {
    const rows = await driver.query("SELECT id FROM deliveries WHERE next_at IS NOT NULL LIMIT 1");
    if (rows.length === 0) break;
    await setTimeout(20);
  }
  const rate = (job.deliveries / (performance.now() - start)) * 1000;
  for (const child of children) child.kill("SIGKILL");
  await driver.close();
  return { rate };
}

/** One of them: begins when it is told to, and ends by being killed. */
export async function oneOfMany({ database = "", postgresPort }: BenchJob): Promise<never> {
  const driver = postgresDriver({ url: databaseUrl(postgresPort, database) });
  await driver.query("SELECT 1 AS one");
  const engine = engineOver(new Queue("", driver), { failed: (error) => console.error(error) });
  console.log("ready");
  await once(process.stdin, "data");
  engine.start();
  return new Promise(() => {});
}

async function openStore({ kind, postgresPort }: BenchJob): Promise<Driver> {
  if (kind.endsWith("sqlite")) {
    const file = temporaryDatabase((cleanUp) => process.on("exit", () => void cleanUp()));
    return sqliteDriver(file, { thread: deliveryThread });
  }
  const admin = new pg.Client(databaseUrl(postgresPort, "postgres"));
  await admin.connect();
  await admin.query(`CREATE DATABASE ${ownDatabase}`);
  await admin.end();
  return postgresDriver({ url: databaseUrl(postgresPort, ownDatabase) });
}

/** A store with a subscription for each endpoint, and the job's deliveries that are due now and a day later. */
async function openFilled(job: BenchJob, path?: string): Promise<Queue> {
  const queue = await queueOf(await openStore(job));
  for (let endpoint = 0; endpoint <= ENDPOINTS; endpoint += 1) {
    const url = urlOf(endpoint, job, path);
    await queue.subscribe(keyOf(endpoint), { url, clockId: "live" });
  }
  // As `endpointOf` says.
  const healthy = `'sub_' || (1 + i % ${String(ENDPOINTS)})`;
  const { deliveries, later, slowEvery } = job;
  const slow = `CASE WHEN i % ${String(slowEvery)} = 0 THEN 'sub_0' ELSE ${healthy} END`;
  const [now, all] = [Date.now(), { clock: "live", payload: PAYLOAD } as const];
  const aDayLater = { ...all, key: healthy, nextAt: now + 86_400_000, payload: "{}", name: "late" };
  await fill(queue, { ...aDayLater, count: later });
  const due = { ...all, key: slowEvery > 0 ? slow : healthy, nextAt: now - 60_000 };
  await fill(queue, { ...due, count: deliveries });
  if (!job.kind.endsWith("sqlite")) await queue.write("ANALYZE");
  return queue;
}
