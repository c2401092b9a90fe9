import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { connect } from "@nats-io/transport-node";
import { jetstreamManager } from "@nats-io/jetstream";
import { startFauxqs } from "fauxqs";
import { Redis } from "ioredis";
import {
  clients,
  natsBinary,
  redisBinary,
  startNats,
  startRedis,
} from "../../packages/receiver/test/inboxes/servers.ts";

const guide = readFileSync(new URL("../../docs/guides/hand-over.md", import.meta.url), "utf8");
const [setup = "", ...blocks] = [...guide.matchAll(/^```ts\n([^]*?)^```$/gm)].map(
  ([, code = ""]) => code,
);
const output = fileURLToPath(new URL("../output/hand-over/", import.meta.url));

/** The guide's blocks with a handler, in its order. */
export const handlers: readonly string[] = blocks;

export interface Engine {
  readonly name: string;
  /** Counts the jobs or messages, and the events that they are about. */
  readonly count: (
    env: Readonly<Record<string, string>>,
  ) => Promise<{ jobs: number; events: number }>;
  /** The variable with the server's address, and the server. */
  readonly server?: {
    readonly variable: string;
    readonly protocol: string;
    readonly path?: string;
    readonly start: () => Promise<{
      readonly port: number;
      readonly stop: () => void | Promise<void>;
    }>;
  };
  readonly isMissing?: boolean;
}

const countRows =
  (sql: string): Engine["count"] =>
  async ({ DATABASE_URL = "" }) => {
    const { port, pathname } = new URL(DATABASE_URL);
    const pool = await clients.postgres(Number(port), pathname.slice(1));
    const { rows } = await pool.query<{ jobs: number; events: number }>(sql);
    await pool.end();
    return rows[0] ?? { jobs: 0, events: 0 };
  };

// In the order of the guide.
export const engines: readonly Engine[] = [
  {
    name: "pg-boss",
    count: countRows(
      "SELECT count(*)::int AS jobs, count(DISTINCT data->>'id')::int AS events FROM pgboss.job WHERE name = 'payments'",
    ),
  },
  {
    name: "graphile-worker",
    count: countRows(
      "SELECT count(*)::int AS jobs, count(DISTINCT payload->>'id')::int AS events FROM graphile_worker._private_jobs",
    ),
  },
  {
    name: "BullMQ",
    isMissing: redisBinary === undefined,
    server: { variable: "REDIS_URL", protocol: "redis", start: () => startRedis() },
    async count({ REDIS_URL = "" }) {
      const redis = new Redis(REDIS_URL);
      const jobs = await redis.llen("bull:payments:wait");
      const ids = await redis.lrange("bull:payments:wait", 0, -1);
      redis.disconnect();
      return { jobs, events: new Set(ids).size };
    },
  },
  {
    name: "NATS JetStream",
    isMissing: natsBinary === undefined,
    server: { variable: "NATS_URL", protocol: "nats", start: () => startNats() },
    async count({ NATS_URL = "" }) {
      const nats = await connect({ servers: NATS_URL });
      const { streams } = await jetstreamManager(nats);
      const { state } = await streams.info("payments");
      await nats.close();
      return { jobs: state.messages, events: state.messages };
    },
  },
  {
    name: "SQS FIFO",
    server: {
      variable: "QUEUE_URL",
      protocol: "http",
      path: "/000000000000/payments.fifo",
      // An emulator of the service.
      async start() {
        const server = await startFauxqs({ port: 0, logger: false });
        server.createQueue("payments.fifo", { attributes: { FifoQueue: "true" } });
        return server;
      },
    },
    async count({ QUEUE_URL: QueueUrl = "" }) {
      const sqs = new SQSClient({ ...AWS, endpoint: new URL(QueueUrl).origin });
      const AttributeNames = ["ApproximateNumberOfMessages" as const];
      const { Attributes } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames }),
      );
      const messages = Number(Attributes?.["ApproximateNumberOfMessages"]);
      return { jobs: messages, events: messages };
    },
  },
];

/** The emulator accepts any credentials. */
const AWS = {
  region: "us-east-1",
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
};

/** Returns the variable with the address of an engine's server. */
export const addressOf = (
  { server }: { readonly server: Engine["server"] | undefined },
  port: number | undefined,
): Readonly<Record<string, string>> =>
  server === undefined
    ? {}
    : { [server.variable]: `${server.protocol}://127.0.0.1:${String(port)}${server.path ?? ""}` };

/** The guide's receiver and one of its handlers, as a process that is killed where `KILL` says. */
export const killedProgram = (handler: string): string => `
const offset = Number(process.env["OFFSET_MS"]);
const clock = Date.now;
// A lease that a killed process has left is over for the next one.
Date.now = () => clock() + offset;
import { eventFactories, signedAttempt } from "@countersign/receiver/testing";
${setup}
const [where, victim] = (process.env["KILL"] ?? "").split(" ");
const kill = (at: string, id: string) => {
  if (where === at && victim === id) process.kill(process.pid, "SIGKILL");
};
const on = receiver.on.bind(receiver) as any;
(receiver as any).on = (name: string, run: any) =>
  on(name, async (event: any, context: any) => {
    await run(event, context);
    kill("handler", event.id);
  });
${handler}
for (const id of (process.env["EVENTS"] ?? "").split(" ")) {
  const event = eventFactories()["payment.succeeded"]({ id });
  const outcome = await receiver.receive(
    signedAttempt({ provider: reference, secrets: [process.env["WEBHOOK_SECRET"] ?? ""], event, now: Date.now() }),
  );
  kill("answer", id);
  console.log(id, outcome.kind, "error" in outcome ? outcome.error : "");
}
process.exit(0);
`;

/** The guide's receiver and one of its handlers, as a process that handles events and prints how many a second. */
export const timedProgram = (handler: string): string => `
import { eventFactories, signedAttempt } from "@countersign/receiver/testing";
${handler.includes("const receiver") ? setup.replace(/^const receiver[^]*/m, "") : setup}
${handler}
const make = eventFactories()["payment.succeeded"];
const attemptOf = (id: string) =>
  signedAttempt({ provider: reference, secrets: [process.env["WEBHOOK_SECRET"] ?? ""], event: make({ id }), now: Date.now() });
const attempts = Array.from({ length: Number(process.env["EVENTS"]) }, (_, number) => attemptOf("evt_" + number));
const waiting = attempts.values();
const startedAt = performance.now();
await Promise.all(
  Array.from({ length: 9 }, async () => {
    for (const attempt of waiting) {
      const { kind } = await receiver.receive(attempt);
      if (kind !== "handled" && kind !== "stored") throw new Error(kind);
    }
  }),
);
${handler.includes("receiver.start()") ? "await done;" : ""}
console.log(String(Math.round((1000 * attempts.length) / (performance.now() - startedAt))));
process.exit(0);
`;

/** The receiver's own workers: every event is stored, and then handled in a transaction. */
export const ownWorkers = `
let left = Number(process.env["EVENTS"]);
let finish: () => void;
const done = new Promise<void>((resolve) => (finish = resolve));
await pool.query("CREATE TABLE jobs (event json)");
const receiver = createReceiver({
  provider: reference, secrets, inbox, fallback: () => undefined, acknowledge: "after-store",
  onOutcome: ({ kind }) => { if (kind === "handled" && (left -= 1) === 0) finish(); },
});
receiver.on("payment.succeeded", async (event, { transaction }) => {
  await transaction.query("INSERT INTO jobs VALUES ($1)", [JSON.stringify(event)]);
});
receiver.start();
`;

/** Writes a program where Node.js finds the dependencies of the tests. @returns Its path. */
export function written(name: string, code: string): string {
  mkdirSync(output, { recursive: true });
  const file = `${output}${name.replaceAll(" ", "-")}.ts`;
  writeFileSync(file, code);
  return file;
}

/** Runs a program to its end. @returns What it wrote, and its status or signal. */
export async function run(file: string, env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", file], {
    env: {
      ...process.env,
      NODE_ENV: "production",
      WEBHOOK_SECRET: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      AWS_REGION: AWS.region,
      AWS_ACCESS_KEY_ID: AWS.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: AWS.credentials.secretAccessKey,
      ...env,
    },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (data: string) => (text += data));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return `${text}${signal ?? String(code)}`;
}
