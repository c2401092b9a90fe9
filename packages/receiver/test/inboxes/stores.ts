import {
  type Inbox,
  type InboxQueue,
  memoryInbox,
  type TransactionalInbox,
} from "@countersign/receiver";
import { postgresInbox } from "@countersign/receiver/postgres";
import { redisInbox } from "@countersign/receiver/redis";
import type { InboxFault } from "@countersign/receiver/testing";
import { Redis } from "ioredis";
import { Pool } from "pg";
import { createClient } from "redis";
import { afterAll, beforeAll, describe } from "vitest";
import { sqliteInTest } from "./in-test.ts";
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
  /** Servers that it needs and that are not installed. */
  readonly missing?: readonly string[];
  /** Starts its servers. */
  readonly start: () => Promise<Started<InboxType>>;
  /** Faults of what was started. */
  readonly faults?: readonly InboxFault[];
}

interface Started<InboxType> {
  /** Makes an empty inbox for the running test. */
  readonly open: () => InboxType | Promise<InboxType>;
  readonly end?: () => Promise<void>;
}

/** A `describe` with the store's servers. Skipped if one is not installed; the title says so. */
export function describeStore<InboxType extends Inbox>(
  { name, missing = [], start }: TestStore<InboxType>,
  suite: (open: Started<InboxType>["open"]) => void,
): void {
  const isSkipped = missing.length > 0;
  const reason = isSkipped ? ` (skipped: ${missing.join(" and ")} not installed)` : "";
  describe.skipIf(isSkipped)(`${name}${reason}`, () => {
    let started: Started<InboxType>;
    beforeAll(async () => {
      started = await start();
    });
    afterAll(() => started.end?.());
    suite(() => started.open());
  });
}

const named = (name: string, binary: unknown): readonly string[] =>
  binary === undefined ? [name] : [];
const missingPostgres = named("PostgreSQL", postgresBinaries);

export type Queued = TransactionalInbox<unknown> & { readonly queue: InboxQueue };

const memory: TestStore = {
  name: "the memory inbox",
  start: () => Promise.resolve({ open: () => memoryInbox() }),
};

export const sqlite: TestStore<Queued> = {
  name: "the SQLite inbox",
  start: () => Promise.resolve({ open: sqliteInTest }),
};

/** One inbox in its own database, emptied for each test. @param connections Of PgBouncer, if the inbox is behind it. */
const overPostgres = (
  name: string,
  missing: readonly string[],
  connections = 0,
): TestStore<Queued> => ({
  name,
  missing,
  async start() {
    const server = await sharedPostgres();
    const pooler = connections === 0 ? undefined : await startPgbouncer(server, { connections });
    const { port } = pooler ?? server;
    const database = await server.create();
    const pool = new Pool({ host: "127.0.0.1", port, database, user: "postgres", max: 8 });
    const inbox = postgresInbox(pool, { schema: "shop" });
    await inbox.migrate();
    return {
      open: async () => {
        await pool.query("TRUNCATE shop.events");
        return inbox;
      },
      end: async () => {
        await pool.end();
        pooler?.stop();
        await server.stop();
      },
    };
  },
});

export const postgres = overPostgres("the PostgreSQL inbox", missingPostgres);

// Fewer servers than clients: a client that left something in a session would meet another's.
const pgbouncer = overPostgres(
  "the PostgreSQL inbox through PgBouncer in transaction mode",
  [...missingPostgres, ...named("PgBouncer", pgbouncerBinary)],
  3,
);

type RedisClient = Parameters<typeof redisInbox>[0];

const redis = (
  library: string,
  connect: (port: number) => Promise<readonly [RedisClient, end: () => Promise<unknown>]>,
): TestStore => ({
  name: `the Redis inbox over ${library}`,
  missing: named("redis-server", redisBinary),
  async start() {
    const server = await startRedis();
    const [client, end] = await connect(server.port);
    let count = 0;
    return {
      open: () => redisInbox(client, { prefix: `inbox${String((count += 1))}` }),
      end: async () => {
        await end();
        server.stop();
      },
    };
  },
});

const ioredis = redis("ioredis", (port) => {
  const client = new Redis(port, "127.0.0.1");
  return Promise.resolve([client, () => client.quit()]);
});

const nodeRedis = redis("node-redis", async (port) => {
  const client = createClient({ url: `redis://127.0.0.1:${String(port)}` });
  await client.connect();
  return [client, () => client.close()];
});

/** Inboxes that keep events for workers. */
export const queueStores: readonly TestStore<Queued>[] = [sqlite, postgres, pgbouncer];

export const stores: readonly TestStore[] = [memory, ...queueStores, ioredis, nodeRedis];
