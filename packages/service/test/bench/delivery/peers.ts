import { standardWebhooks } from "@countersign/signatures";
import { Queue, Worker } from "bullmq";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { PgBoss } from "pg-boss";
import { Agent } from "undici";
import {
  CONCURRENCY,
  endpointOf,
  PAYLOAD,
  runJob,
  SECRET,
  urlOf,
  type BenchFigures,
  type BenchJob,
} from "./job.ts";

// Careful code with each library: each job is signed and posted over connections
// that are kept, with a deadline, and completed afterwards. None of them keeps a record of attempts.

interface Task {
  readonly endpoint: number;
  readonly payload: string;
}

interface Peer {
  readonly add: (tasks: readonly Task[]) => unknown;
  /** Begins to deliver what is stored. */
  readonly work: (deliver: (id: string, task: Task) => Promise<void>) => unknown;
}

const DEADLINE_MS = 15_000;
const CHUNK = 500;
const scheme = standardWebhooks();
const secrets = [{ raw: SECRET }];
const agent = new Agent({
  connections: CONCURRENCY,
  pipelining: 1,
  headersTimeout: DEADLINE_MS,
  bodyTimeout: DEADLINE_MS,
});

async function post(id: string, { endpoint, payload }: Task, job: BenchJob): Promise<void> {
  const body = Buffer.from(payload);
  const timestamp = Math.floor(Date.now() / 1000);
  const url = new URL(urlOf(endpoint, job));
  const answer = await agent.request({
    origin: url.origin,
    path: url.pathname,
    method: "POST",
    headers: {
      ...scheme.sign({ id, timestamp, body }, secrets),
      "content-type": "application/json",
    },
    body,
  });
  await answer.body.text();
  if (answer.statusCode !== 200) throw new Error("an attempt failed");
}

/** Stores the job's deliveries, then measures those to the endpoints that are not slow. */
async function figuresOf(job: BenchJob, { add, work }: Peer): Promise<BenchFigures> {
  const tasks = Array.from({ length: job.deliveries }, (_, number): Task => ({
    endpoint: endpointOf(number, job.slowEvery),
    payload: PAYLOAD,
  }));
  for (let from = 0; from < tasks.length; from += CHUNK) await add(tasks.slice(from, from + CHUNK));
  const healthy = tasks.filter(({ endpoint }) => endpoint > 0).length;
  const done = Promise.withResolvers<void>();
  let delivered = 0;
  const start = performance.now();
  const before = process.cpuUsage();
  await work(async (id, task) => {
    await post(id, task, job);
    if (task.endpoint > 0) delivered += 1;
    if (delivered === healthy) done.resolve();
  });
  await done.promise;
  const { user, system } = process.cpuUsage(before);
  return {
    rate: (healthy / (performance.now() - start)) * 1000,
    cpu: (user + system) / healthy,
  };
}

const urlOfPostgres = ({ postgresPort }: BenchJob): string =>
  `postgres://postgres@127.0.0.1:${String(postgresPort)}/postgres`;

/** The floor: a list in memory, and as many loops as attempts are under way. Nothing is stored. */
function memory(job: BenchJob): Promise<BenchFigures> {
  const stored: Task[] = [];
  return figuresOf(job, {
    add: (tasks) => stored.push(...tasks),
    work: (deliver) => {
      const waiting = stored.entries();
      const loop = async (): Promise<void> => {
        for (const [number, task] of waiting) await deliver(`evt_${String(number)}`, task);
      };
      void Promise.all(Array.from({ length: CONCURRENCY }, loop));
    },
  });
}

async function pgBoss(job: BenchJob): Promise<BenchFigures> {
  const schema = `boss_${String(process.pid)}`;
  const boss = new PgBoss({ connectionString: urlOfPostgres(job), schema, max: 10 });
  boss.on("error", console.error);
  await boss.start();
  await boss.createQueue("deliveries", { retryLimit: 8 });
  const options = {
    batchSize: CONCURRENCY / 2,
    localConcurrency: 2,
    pollingIntervalSeconds: 0.5,
    burstWhenBatchFull: true,
  };
  const add: Peer["add"] = (tasks) => {
    const jobs = tasks.map((data) => ({ data }));
    return boss.insert("deliveries", jobs);
  };
  const work: Peer["work"] = (deliver) =>
    boss.work<Task>("deliveries", options, async (jobs) => {
      await Promise.all(jobs.map(({ id, data }) => deliver(id, data)));
    });
  return figuresOf(job, { add, work });
}

async function graphileWorker(job: BenchJob): Promise<BenchFigures> {
  const database = {
    connectionString: urlOfPostgres(job),
    schema: `worker_${String(process.pid)}`,
  };
  const logger = new Logger(() => () => {});
  const utils = await makeWorkerUtils({ ...database, logger });
  await utils.migrate();
  const worker = {
    ...database,
    concurrentJobs: CONCURRENCY,
    maxPoolSize: 10,
    pollInterval: 500,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  };
  const add: Peer["add"] = (tasks) =>
    utils.addJobs(tasks.map((payload) => ({ identifier: "deliver", payload })));
  const work: Peer["work"] = (deliver) =>
    run({
      logger,
      noHandleSignals: true,
      preset: { worker },
      // The payload is a task that was added above.
      taskList: {
        deliver: (payload, { job: { id } }) => deliver(`evt_${id}`, payload as Task),
      },
    });
  return figuresOf(job, { add, work });
}

async function bullMq(job: BenchJob): Promise<BenchFigures> {
  const connection = { host: "127.0.0.1", port: job.redisPort, maxRetriesPerRequest: null };
  const name = `deliveries_${String(process.pid)}`;
  const defaultJobOptions = { removeOnComplete: 1000 };
  const queue = new Queue<Task>(name, { connection, defaultJobOptions });
  const options = { connection, concurrency: CONCURRENCY };
  const add: Peer["add"] = (tasks) =>
    queue.addBulk(tasks.map((data) => ({ name: "deliver", data })));
  const work: Peer["work"] = (deliver) => {
    const attempt = ({ id, data }: { id?: string; data: Task }): Promise<void> =>
      deliver(`evt_${id ?? ""}`, data);
    new Worker<Task>(name, attempt, options).on("error", console.error);
  };
  return figuresOf(job, { add, work });
}

await runJob((job) => {
  switch (job.kind) {
    case "memory":
      return memory(job);
    case "pg-boss":
      return pgBoss(job);
    case "graphile-worker":
      return graphileWorker(job);
    case "bullmq":
      return bullMq(job);
    case "sqlite":
    case "postgres":
      throw new TypeError(`${job.kind} runs in engine.ts`);
    default:
      return job.kind satisfies never;
  }
});
