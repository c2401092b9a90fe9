import { spawn } from "node:child_process";
import { once } from "node:events";
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
import { migrate } from "../../../src/store/migrate.ts";
import { secretPlace } from "../../../src/store/operations/subscriptions/secret-place.ts";
import { postgresDriver } from "../../../src/store/postgres-driver.ts";
import { sqliteDriver } from "../../../src/store/sqlite-driver.ts";
import { temporaryDatabase } from "../../temporary-database.ts";
import { testVault } from "../../test-vault.ts";
import {
  CONCURRENCY,
  ENDPOINTS,
  endpointOf,
  PAYLOAD,
  SECRET,
  urlOf,
  type BenchFigures,
  type BenchJob,
} from "./job.ts";

const vault = testVault();
const CHUNK = 500;

/** The delivery engine over a store, with its own policy but the concurrency of the others. */
export async function engineRate(job: BenchJob): Promise<BenchFigures> {
  const driver = await openStore(job);
  await fill(driver, job);
  const isSlow = ({ attempt }: SettledAttempt): boolean =>
    attempt.claim.subscription.key === keyOf(0);
  const healthy = Array.from({ length: job.deliveries }, (_, number) =>
    endpointOf(number, job.slowEvery),
  ).filter((endpoint) => endpoint > 0).length;
  let delivered = 0;
  const done = Promise.withResolvers<void>();
  const engine = engineOver(driver, {
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
  await driver.close();
  return { rate, cpu: (user + system) / healthy };
}

/** Events are written beside: the time from COMMIT to the sink, at the rate that is offered or as fast as it goes. */
export async function engineLatency(job: BenchJob): Promise<BenchFigures> {
  const driver = await openStore(job);
  await fill(driver, { ...job, deliveries: 0 });
  const url = (endpoint: number): string =>
    urlOf(endpoint, job).replace(/\/(?:slow|hooks)$/, "/timed");
  for (let endpoint = 0; endpoint <= ENDPOINTS; endpoint += 1) {
    await driver.transaction((tx) =>
      tx.query("UPDATE subscriptions SET url = $2 WHERE key = $1", [
        keyOf(endpoint),
        url(endpoint),
      ]),
    );
  }
  const engine = engineOver(driver, { failed: (error) => console.error(error) });
  engine.start();
  const committed = new Map<string, number>();
  const write = async (number: number): Promise<void> => {
    await driver.transaction((tx) => insert(tx, [number], { now: Date.now(), slowEvery: 0 }));
    committed.set(`evt_${String(number)}`, performance.timeOrigin + performance.now());
    engine.onWork();
  };
  const start = performance.now();
  if (job.offered === 0) await asFastAsTheyGo(job.deliveries, write);
  else await steadily(job, write);
  const waits: number[] = [];
  while (waits.length < job.deliveries) {
    const answer = await request(url(1).replace(/\/timed$/, "/arrivals"));
    for (const line of (await answer.body.text()).split("\n").filter(Boolean)) {
      const [id = "", at] = line.split(" ");
      waits.push(Number(at) - (committed.get(id) ?? Number.NaN));
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const rate = (job.deliveries / (performance.now() - start)) * 1000;
  // The first second opens connections and compiles.
  const sorted = waits.slice(job.offered).toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN;
  await engine.stop({ graceMs: 3000 });
  await driver.close();
  return { rate, latency: { p50: at(0.5), p99: at(0.99) } };
}

async function asFastAsTheyGo(
  count: number,
  write: (number: number) => Promise<void>,
): Promise<void> {
  const numbers = Array.from({ length: count }).keys();
  const writer = async (): Promise<void> => {
    for (const number of numbers) await write(number);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, writer));
}

async function steadily(
  { deliveries, offered }: BenchJob,
  write: (number: number) => Promise<void>,
): Promise<void> {
  const start = performance.now();
  const writes: Promise<void>[] = [];
  while (writes.length < deliveries) {
    const due = Math.min(((performance.now() - start) / 1000) * offered, deliveries);
    while (writes.length < due) writes.push(write(writes.length));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(writes);
}

function engineOver(
  driver: Driver,
  observer: Parameters<typeof createDeliveryEngine>[0]["observer"] & object,
): DeliveryEngine {
  const policy = { ...deliveryPolicyOf(profiles.standard), concurrency: CONCURRENCY };
  return createDeliveryEngine({
    driver,
    policy,
    clock: systemClock,
    random: systemRandom,
    transport: undiciTransport({ deadlineMs: policy.deadlineMs, allowLoopback: true }),
    sign: signerOf(profiles.standard),
    vault,
    endpoints: { allowLoopback: true },
    userAgent: "Countersign",
    moveDueRefunds: async () => ({ passedOver: [] }),
    observer,
  });
}

/** Several processes on one PostgreSQL, each with its own engine: what all of them do. */
export async function processesRate(job: BenchJob): Promise<BenchFigures> {
  const driver = await openStore(job);
  await fill(driver, job);
  const name = `bench_${String(process.pid)}`;
  const script = fileURLToPath(new URL("run.ts", import.meta.url));
  const children = await Promise.all(
    Array.from({ length: job.processes }, async () => {
      const one: BenchJob = { ...job, kind: "one-of-many", database: name };
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
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const rate = (job.deliveries / (performance.now() - start)) * 1000;
  for (const child of children) child.kill("SIGKILL");
  await driver.close();
  return { rate };
}

/** One of them: begins when it is told to, and ends by being killed. */
export async function oneOfMany({ database, postgresPort }: BenchJob): Promise<never> {
  const url = `postgres://postgres@127.0.0.1:${String(postgresPort)}/${database ?? ""}`;
  const driver = postgresDriver({ url });
  await driver.query("SELECT 1 AS one");
  const engine = engineOver(driver, { failed: (error) => console.error(error) });
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
  const at = (name: string): string =>
    `postgres://postgres@127.0.0.1:${String(postgresPort)}/${name}`;
  const admin = new pg.Client(at("postgres"));
  await admin.connect();
  const name = `bench_${String(process.pid)}`;
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  return postgresDriver({ url: at(name) });
}

const keyOf = (endpoint: number): string => `sub_${String(endpoint).padStart(3, "0")}`;

async function fill(driver: Driver, job: BenchJob): Promise<void> {
  await migrate(driver, { now: 0, vault });
  await driver.transaction(async (tx) => {
    await tx.query(
      "INSERT INTO merchants (id, name, clock_id, created_at) VALUES ('mer_1', 'M', 'live', 0)",
    );
    for (let endpoint = 0; endpoint <= ENDPOINTS; endpoint += 1) {
      const { text, keyId } = vault.seal(SECRET, secretPlace(keyOf(endpoint)));
      await tx.query(
        `INSERT INTO subscriptions (key, merchant_id, clock_id, url, secret, secret_key_id, selection,
           status, created_at, updated_at)
         VALUES ($1, 'mer_1', 'live', $2, $3, $4, '{}', 'ACTIVE', 0, 0)`,
        [keyOf(endpoint), urlOf(endpoint, job), text, keyId],
      );
    }
  });
  await fillLater(driver, job.later);
  for (let from = 0; from < job.deliveries; from += CHUNK) {
    const size = Math.min(CHUNK, job.deliveries - from);
    const numbers = Array.from({ length: size }, (_, index) => from + index);
    await driver.transaction((tx) =>
      insert(tx, numbers, { now: Date.now() - 60_000, slowEvery: job.slowEvery }),
    );
  }
  if (!job.kind.endsWith("sqlite")) await driver.transaction((tx) => tx.query("ANALYZE"));
}

type Tx = Parameters<Parameters<Driver["transaction"]>[0]>[0];

async function insert(
  tx: Tx,
  numbers: readonly number[],
  { now, slowEvery }: { now: number; slowEvery: number },
): Promise<void> {
  const events = numbers.map(
    (number) => `('evt_${String(number)}', 'mer_1', 'live',
    'refund.authorized', 'PAYMENT', '${PAYLOAD}', ${String(now)})`,
  );
  await tx.query(
    `INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
     VALUES ${events.join(", ")}`,
  );
  const rows = numbers.map((number) => {
    const key = keyOf(endpointOf(number, slowEvery));
    const id = `dlv_${String(number)}`;
    return `('${id}', 'evt_${String(number)}', '${key}', 'mer_1', 'live', 'waiting', ${String(now)}, 0)`;
  });
  await tx.query(
    `INSERT INTO deliveries (id, event_id, subscription_key, merchant_id, clock_id, state, next_at,
       created_at) VALUES ${rows.join(", ")}`,
  );
}

/** Rows that wait for their next attempt, a day from now and later. */
async function fillLater(driver: Driver, count: number): Promise<void> {
  const SLICE = 20_000;
  for (let from = 0; from < count; from += SLICE) {
    const to = Math.min(from + SLICE, count);
    const due = Date.now() + 86_400_000;
    const numbers = `WITH RECURSIVE n (i) AS (SELECT ${String(from)} UNION ALL
      SELECT i + 1 FROM n WHERE i + 1 < ${String(to)})`;
    const key = `'sub_' || substr(CAST(1000 + i % ${String(ENDPOINTS)} + 1 AS text), 2)`;
    await driver.transaction(async (tx) => {
      await tx.query(`INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
        ${numbers} SELECT 'late_' || i, 'mer_1', 'live', 'refund.authorized', 'PAYMENT', '{}', 0 FROM n`);
      await tx.query(`INSERT INTO deliveries (id, event_id, subscription_key, merchant_id, clock_id, state,
        attempts, next_at, created_at)
        ${numbers} SELECT 'late_' || i, 'late_' || i, ${key}, 'mer_1', 'live', 'waiting', 1,
          ${String(due)} + i, 0 FROM n`);
    });
  }
}
