import { standardWebhooks } from "@countersign/signatures";
import { Queue, Worker } from "bullmq";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { PgBoss } from "pg-boss";
import { Agent } from "undici";
import {
  CONCURRENCY,
  endpointOf,
  PAYLOAD,
  SECRET,
  urlOf,
  type BenchFigures,
  type BenchJob,
} from "./job.ts";

// What a careful engineer would write with the library: each job is signed and posted over connections
// that are kept, with a deadline, and completed afterwards. None of them keeps a record of attempts.

interface Task {
  readonly endpoint: number;
  readonly payload: string;
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

/** Counts what is delivered to the endpoints that are not slow. */
class Progress {
  readonly #healthy: number;
  readonly #start = performance.now();
  readonly #before = process.cpuUsage();
  readonly #done: PromiseWithResolvers<void> = Promise.withResolvers();
  #delivered = 0;

  constructor(tasks: readonly Task[]) {
    this.#healthy = tasks.filter(({ endpoint }) => endpoint > 0).length;
  }

  delivered({ endpoint }: Task): void {
    if (endpoint > 0) this.#delivered += 1;
    if (this.#delivered === this.#healthy) this.#done.resolve();
  }

  async figures(): Promise<BenchFigures> {
    await this.#done.promise;
    const { user, system } = process.cpuUsage(this.#before);
    return {
      rate: (this.#healthy / (performance.now() - this.#start)) * 1000,
      cpu: (user + system) / this.#healthy,
    };
  }
}

const tasksOf = ({ deliveries, slowEvery }: BenchJob): Task[] =>
  Array.from({ length: deliveries }, (_, number) => ({
    endpoint: endpointOf(number, slowEvery),
    payload: PAYLOAD,
  }));

function* chunksOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += CHUNK) yield all.slice(from, from + CHUNK);
}

const urlOfPostgres = ({ postgresPort }: BenchJob): string =>
  `postgres://postgres@127.0.0.1:${String(postgresPort)}/postgres`;

/** The floor: a list in memory, and as many loops as attempts are under way. Nothing is stored. */
export async function memory(job: BenchJob): Promise<BenchFigures> {
  const tasks = tasksOf(job);
  const progress = new Progress(tasks);
  const waiting = tasks.entries();
  const loop = async (): Promise<void> => {
    for (const [number, task] of waiting) {
      await post(`evt_${String(number)}`, task, job);
      progress.delivered(task);
    }
  };
  void Promise.all(Array.from({ length: CONCURRENCY }, loop));
  return progress.figures();
}

export async function pgBoss(job: BenchJob): Promise<BenchFigures> {
  const tasks = tasksOf(job);
  const schema = `boss_${String(process.pid)}`;
  const boss = new PgBoss({ connectionString: urlOfPostgres(job), schema, max: 10 });
  boss.on("error", console.error);
  await boss.start();
  await boss.createQueue("deliveries", { retryLimit: 8 });
  for (const chunk of chunksOf(tasks)) {
    await boss.insert(
      "deliveries",
      chunk.map((data) => ({ data })),
    );
  }
  const progress = new Progress(tasks);
  const options = {
    batchSize: CONCURRENCY / 2,
    localConcurrency: 2,
    pollingIntervalSeconds: 0.5,
    burstWhenBatchFull: true,
  };
  await boss.work<Task>("deliveries", options, async (jobs) => {
    await Promise.all(
      jobs.map(async ({ id, data }) => {
        await post(id, data, job);
        progress.delivered(data);
      }),
    );
  });
  return progress.figures();
}

export async function graphileWorker(job: BenchJob): Promise<BenchFigures> {
  const tasks = tasksOf(job);
  const database = {
    connectionString: urlOfPostgres(job),
    schema: `worker_${String(process.pid)}`,
  };
  const logger = new Logger(() => () => {});
  const utils = await makeWorkerUtils({ ...database, logger });
  await utils.migrate();
  for (const chunk of chunksOf(tasks)) {
    await utils.addJobs(chunk.map((payload) => ({ identifier: "deliver", payload })));
  }
  const progress = new Progress(tasks);
  await run({
    logger,
    noHandleSignals: true,
    preset: {
      worker: {
        ...database,
        concurrentJobs: CONCURRENCY,
        maxPoolSize: 10,
        pollInterval: 500,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
    taskList: {
      deliver: async (payload, { job: { id } }) => {
        // What was added above.
        const task = payload as Task;
        await post(`evt_${id}`, task, job);
        progress.delivered(task);
      },
    },
  });
  return progress.figures();
}

export async function bullMq(job: BenchJob): Promise<BenchFigures> {
  const tasks = tasksOf(job);
  const connection = { host: "127.0.0.1", port: job.redisPort, maxRetriesPerRequest: null };
  const name = `deliveries_${String(process.pid)}`;
  const queue = new Queue<Task>(name, {
    connection,
    defaultJobOptions: { removeOnComplete: 1000 },
  });
  for (const chunk of chunksOf(tasks)) {
    await queue.addBulk(chunk.map((data) => ({ name: "deliver", data })));
  }
  const progress = new Progress(tasks);
  const worker = new Worker<Task>(
    name,
    async ({ id, data }) => {
      await post(`evt_${id ?? ""}`, data, job);
      progress.delivered(data);
    },
    { connection, concurrency: CONCURRENCY },
  );
  worker.on("error", console.error);
  return progress.figures();
}
