import { copyFileSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
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
import { afterAll, beforeAll, describe } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { sqliteInTest } from "./in-test.ts";
import { Relay, relayFaults } from "./relay.ts";
import type { InboxPart } from "./suite/checks.ts";
import type { InboxFault } from "./suite/faults.ts";
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
  readonly tags?: string[];
  readonly parts: readonly InboxPart[];
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
  { name, missing = [], tags = [], start }: TestStore<InboxType>,
  suite: (open: Started<InboxType>["open"]) => void,
): void {
  const isSkipped = missing.length > 0;
  const reason = isSkipped ? ` (skipped: ${missing.join(" and ")} not installed)` : "";
  describe.skipIf(isSkipped)(`${name}${reason}`, { tags }, () => {
    let started: Started<InboxType>;
    beforeAll(async () => {
      started = await start();
    });
    afterAll(() => started.end?.());
    suite(() => started.open());
  });
}

/** Leaves a store to CI, since another one is reached by the same code. */
export const inCi = <Store extends TestStore>(store: Store): Store => ({ ...store, tags: ["ci"] });

const named = (name: string, binary: unknown): readonly string[] =>
  binary === undefined ? [name] : [];
const missingPostgres = named("PostgreSQL", postgresBinaries);

export type Queued = TransactionalInbox<unknown> & { readonly queue: InboxQueue };

const memory: TestStore = {
  name: "the memory inbox",
  parts: ["claims"],
  start: () => Promise.resolve({ open: () => memoryInbox() }),
};

/** The SQLite inbox of the running test. */
let opened: { readonly path: string; readonly inbox: SqliteInbox };

function openSqlite(path = join(temporaryFolder(), "inbox.db")): SqliteInbox {
  opened = { path, inbox: sqliteInTest(path) };
  return opened.inbox;
}

/** Opens the file that an app finds which is started again. */
function restartSqlite(): SqliteInbox {
  opened.inbox.close();
  return openSqlite(opened.path);
}

const FILE_FAULTS: Readonly<Record<string, (path: string) => void>> = {
  "is removed": (path) => rmSync(path),
  "is moved away": (path) => renameSync(path, `${path}.old`),
  "is replaced by a copy"(path) {
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
  },
  "is replaced with its whole folder"(path) {
    renameSync(dirname(path), `${dirname(path)}.old`);
    mkdirSync(dirname(path));
    sqliteInbox(path).close();
  },
  "loses its log": (path) => rmSync(`${path}-wal`),
};

export const sqlite: TestStore<Queued> = {
  name: "the SQLite inbox",
  parts: ["claims", "find", "queue"],
  start: () => Promise.resolve({ open: () => openSqlite() }),
  faults: Object.entries(FILE_FAULTS).map(([name, fault]) => ({
    name: `its file ${name}`,
    begin: () => fault(opened.path),
    end: restartSqlite,
  })),
};

/** One inbox in its own database, emptied for each test. @param connections Of PgBouncer, if the inbox is behind it. */
const overPostgres = (
  name: string,
  missing: readonly string[],
  connections = 0,
): TestStore<Queued> => {
  let relay: Relay;
  return {
    name,
    missing,
    parts: ["claims", "find", "queue"],
    faults: relayFaults(() => relay),
    async start() {
      const server = await sharedPostgres();
      const pooler = connections === 0 ? undefined : await startPgbouncer(server, { connections });
      relay = await Relay.before(pooler ?? server);
      const database = await server.create();
      const pool = new Pool({
        host: "127.0.0.1",
        port: relay.port,
        database,
        user: "postgres",
        max: 8,
        connectionTimeoutMillis: TIMEOUT_MS,
      });
      const inbox = postgresInbox(pool, { schema: "shop", timeoutMs: TIMEOUT_MS });
      await inbox.migrate();
      return {
        open: async () => {
          await pool.query("TRUNCATE shop.events");
          return inbox;
        },
        end: async () => {
          relay.stop();
          await pool.end();
          pooler?.stop();
          await server.stop();
        },
      };
    },
  };
};

export const postgres = overPostgres("the PostgreSQL inbox", missingPostgres);

// Fewer servers than clients: a client that left something in a session would meet another's.
const pgbouncer = inCi(
  overPostgres(
    "the PostgreSQL inbox through PgBouncer in transaction mode",
    [...missingPostgres, ...named("PgBouncer", pgbouncerBinary)],
    3,
  ),
);

// Short, since tests wait for it; long enough for a busy machine.
const TIMEOUT_MS = 1500;

type RedisClient = Parameters<typeof redisInbox>[0];

const redis = (
  library: string,
  connect: (port: number) => Promise<readonly [RedisClient, end: () => unknown]>,
): TestStore => {
  let relay: Relay;
  return {
    name: `the Redis inbox over ${library}`,
    parts: ["claims", "find"],
    missing: named("redis-server", redisBinary),
    faults: relayFaults(() => relay),
    async start() {
      const server = await startRedis();
      relay = await Relay.before(server);
      const [client, end] = await connect(relay.port);
      let count = 0;
      return {
        open: () => {
          const prefix = `inbox${String((count += 1))}`;
          return redisInbox(client, { prefix, timeoutMs: TIMEOUT_MS });
        },
        end: async () => {
          await end();
          relay.stop();
          server.stop();
        },
      };
    },
  };
};

const ioredis = inCi(
  redis("ioredis", (port) => {
    const client = new Redis(port, "127.0.0.1", { socketTimeout: TIMEOUT_MS });
    return Promise.resolve([client, () => client.disconnect()]);
  }),
);

const nodeRedis = redis("node-redis", async (port) => {
  const client = createClient({ socket: { port, socketTimeout: 2 * TIMEOUT_MS } });
  await client.connect();
  return [client, () => client.destroy()];
});

export const stores: readonly TestStore[] = [
  memory,
  sqlite,
  postgres,
  pgbouncer,
  ioredis,
  nodeRedis,
];
