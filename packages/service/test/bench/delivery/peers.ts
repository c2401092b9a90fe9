import { standardWebhooks } from "@countersign/signatures";
import { Queue, Worker } from "bullmq";
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

// A list in memory, and careful code with BullMQ: each job is signed and posted over connections that are kept, with a
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

await runJob((job) => (job.kind === "memory" ? memory(job) : bullMq(job)));
