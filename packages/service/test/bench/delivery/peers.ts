import { standardWebhooks } from "@countersign/signatures";
import { Queue, Worker } from "bullmq";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { PgBoss } from "pg-boss";
import { Agent } from "undici";
import {
  CONCURRENCY,
  createDatabase,
  databaseUrl,
  endpointOf,
  holdSnapshot,
  PAYLOAD,
  runJob,
  SECRET,
  serverCpu,
  urlOf,
  type BenchFigures,
  type BenchJob,
} from "./job.ts";

// A list in memory, and careful code with three queues, with the batches that their guides recommend: each job is signed and posted over connections that are kept, with a
// deadline, and completed afterwards. Neither keeps a record of attempts.

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
      ...scheme.sign({ id, timestamp, body }, secrets).headers,
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
  if (job.holdsSnapshot && !["bullmq", "memory"].includes(job.kind))
    await holdSnapshot(databaseUrl(job));
  const done = Promise.withResolvers<void>();
  let delivered = 0;
  const start = performance.now();
  const before = process.cpuUsage();
  const serverBefore = serverCpu(job);
  await work(async (id, task) => {
    await post(id, task, job);
    if (task.endpoint > 0) delivered += 1;
    if (delivered === healthy) done.resolve();
  });
  await done.promise;
  const { user, system } = process.cpuUsage(before);
  const server = serverCpu(job) - serverBefore;
  return {
    rate: (healthy / (performance.now() - start)) * 1000,
    cpu: (user + system) / healthy,
    serverCpu: server / healthy,
  };
}

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

async function pgBoss(job: BenchJob): Promise<BenchFigures> {
  const boss = new PgBoss({ connectionString: await createDatabase(job), max: 16 });
  boss.on("error", console.error);
  await boss.start();
  await boss.createQueue("deliveries");
  const options = {
    batchSize: CONCURRENCY / 2,
    localConcurrency: 2,
    perJobResults: true,
    pollingIntervalSeconds: 0.5,
    burstWhenBatchFull: true,
  } as const;
  return figuresOf(job, {
    add: (tasks) =>
      boss.insert(
        "deliveries",
        tasks.map((data) => ({ data })),
      ),
    work: (deliver) =>
      boss.work<Task>("deliveries", options, (jobs) =>
        Promise.all(
          jobs.map(async ({ id, data }) => {
            await deliver(`evt_${id}`, data);
            return { id, status: "completed" } as const;
          }),
        ),
      ),
  });
}

async function graphileWorker(job: BenchJob): Promise<BenchFigures> {
  const connectionString = await createDatabase(job);
  const logger = new Logger(() => () => {});
  const utils = await makeWorkerUtils({ connectionString, logger });
  await utils.migrate();
  const worker = {
    connectionString,
    concurrentJobs: CONCURRENCY,
    maxPoolSize: 16,
    pollInterval: 500,
    localQueue: { size: 2 * CONCURRENCY },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  };
  return figuresOf(job, {
    add: (tasks) => utils.addJobs(tasks.map((payload) => ({ identifier: "deliver", payload }))),
    work: (deliver) => {
      const taskList = {
        // The job's payload is a task: `add` has written it.
        deliver: (task: unknown, { job: { id } }: { readonly job: { readonly id: string } }) =>
          deliver(`evt_${id}`, task as Task),
      };
      return run({ preset: { worker }, logger, noHandleSignals: true, taskList });
    },
  });
}

const peers = {
  memory,
  bullmq: bullMq,
  "pg-boss": pgBoss,
  "graphile-worker": graphileWorker,
} as const;

// The benchmark runs this script for these kinds only.
await runJob((job) => peers[job.kind as keyof typeof peers](job));
