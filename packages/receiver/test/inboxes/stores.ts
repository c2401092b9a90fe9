import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Inbox,
  type InboxQueue,
  memoryInbox,
  type TransactionalInbox,
} from "@countersign/receiver";
import { postgresInbox } from "@countersign/receiver/postgres";
import { redisInbox } from "@countersign/receiver/redis";
import { type SqliteInbox, sqliteInbox } from "@countersign/receiver/sqlite";
import { Redis } from "ioredis";
import { Pool } from "pg";
import { createClient } from "redis";
import {
  pgbouncerBinary,
  postgresBinaries,
  redisBinary,
  sharedPostgres,
  startPgbouncer,
  startRedis,
} from "./servers.ts";

export interface TestStore<InboxType extends Inbox = Inbox> {
  readonly name: string;
  /** Reason for skipping its tests; empty if they run. */
  readonly skipped: string;
  start(): Promise<{
    /** An empty inbox. */
    readonly open: () => InboxType | Promise<InboxType>;
    readonly close?: (inbox: Inbox) => void;
    readonly stop: () => void | Promise<void>;
  }>;
}

type Queued = TransactionalInbox<unknown> & { readonly queue: InboxQueue };

const missing = (...servers: readonly (readonly [string, unknown])[]): string => {
  const names = servers.flatMap(([name, binary]) => (binary === undefined ? [name] : []));
  return names.length === 0 ? "" : ` (skipped: ${names.join(" and ")} not installed)`;
};

const memory: TestStore = {
  name: "the memory inbox",
  skipped: "",
  start: () => Promise.resolve({ open: () => memoryInbox(), stop: () => undefined }),
};

const sqlite: TestStore<Queued> = {
  name: "the SQLite inbox",
  skipped: "",
  start() {
    const folder = mkdtempSync(join(tmpdir(), "countersign-inbox-"));
    let files = 0;
    return Promise.resolve({
      open: () => sqliteInbox(join(folder, `${String((files += 1))}.db`)),
      // Only what `open` returned.
      close: (inbox) => (inbox as SqliteInbox).close(),
      stop: () => rmSync(folder, { recursive: true, force: true }),
    });
  },
};

/** @param connections Of PgBouncer; without them, the inboxes talk to the server itself. */
const overPostgres = (name: string, skipped: string, connections = 0): TestStore<Queued> => ({
  name,
  skipped,
  async start() {
    const server = await sharedPostgres();
    const database = await server.create();
    const pooler = connections === 0 ? undefined : await startPgbouncer(server, { connections });
    const { port } = pooler ?? server;
    const max = connections === 0 ? 4 : 8;
    const pool = new Pool({ host: "127.0.0.1", port, database, user: "postgres", max });
    return {
      open: schemas(pool),
      async stop() {
        await pool.end();
        pooler?.stop();
        await server.stop();
      },
    };
  },
});

const postgres = overPostgres("the PostgreSQL inbox", missing(["PostgreSQL", postgresBinaries]));

// Fewer servers than clients: a client that left something in a session would meet another's.
const pgbouncer = overPostgres(
  "the PostgreSQL inbox through PgBouncer in transaction mode",
  missing(["PostgreSQL", postgresBinaries], ["PgBouncer", pgbouncerBinary]),
  3,
);

/** Each inbox in its own schema. */
function schemas(pool: Pool): () => Promise<Queued> {
  let count = 0;
  return async () => {
    const inbox = postgresInbox(pool, { schema: `inbox_${String((count += 1))}` });
    await inbox.migrate();
    return inbox;
  };
}

const redis = (library: string, connect: (port: number) => Promise<RedisClient>): TestStore => ({
  name: `the Redis inbox over ${library}`,
  skipped: missing(["redis-server", redisBinary]),
  async start() {
    const server = await startRedis();
    const { client, end } = await connect(server.port);
    let count = 0;
    return {
      open: () => redisInbox(client, { prefix: `inbox${String((count += 1))}` }),
      async stop() {
        await end();
        server.stop();
      },
    };
  },
});

interface RedisClient {
  readonly client: Parameters<typeof redisInbox>[0];
  readonly end: () => Promise<unknown>;
}

function overIoredis(port: number): Promise<RedisClient> {
  const client = new Redis(port, "127.0.0.1");
  return Promise.resolve({ client, end: () => client.quit() });
}

async function overNodeRedis(port: number): Promise<RedisClient> {
  const client = createClient({ url: `redis://127.0.0.1:${String(port)}` });
  await client.connect();
  return { client, end: () => client.close() };
}

/** Inboxes that keep events for workers, and whether a completion takes the next event of its resource. */
export const queueStores = [
  { ...sqlite, takesNext: false },
  { ...postgres, takesNext: true },
];

export const conformingStores: readonly {
  readonly store: TestStore;
  readonly hasQueue: boolean;
}[] = [
  { store: memory, hasQueue: false },
  { store: sqlite, hasQueue: true },
  { store: postgres, hasQueue: true },
  { store: pgbouncer, hasQueue: true },
  { store: redis("ioredis", overIoredis), hasQueue: false },
  { store: redis("node-redis", overNodeRedis), hasQueue: false },
];
