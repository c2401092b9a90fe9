import { setImmediate } from "node:timers/promises";
import { statSync } from "node:fs";
import { join } from "node:path";
import { type ClaimRequest, createReceiver, memoryInbox } from "@countersign/receiver";
import { postgresInbox, postgresTables } from "@countersign/receiver/postgres";
import { redisInbox } from "@countersign/receiver/redis";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { COLUMNS } from "../../src/inbox/sql.ts";
import { DatabaseSync } from "node:sqlite";
import { Redis } from "ioredis";
import { Pool } from "pg";
import { refundAttempt, silent } from "../fixtures.ts";
import {
  pgbouncerBinary,
  redisBinary,
  startPgbouncer,
  startRedis,
  type TestServer,
} from "./servers.ts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { describePostgres } from "./describe-postgres.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const DAY = 86_400_000;
const inboxColumns = Object.keys(COLUMNS);
const claimOf = (id: string, changes: Partial<ClaimRequest> = {}): ClaimRequest => ({
  key: { provider: "acme", tenant: "", id },
  digest: "d",
  type: "refund.authorized",
  leaseMs: 60_000,
  now: 0,
  ...changes,
});

const rejects = () => Promise.reject(new Error());
const unusedPool = { query: rejects, connect: rejects };
const unusedClient = { call: () => Promise.resolve(null) };
const shop = { schema: "shop" };
// As plain JavaScript may call them.
const none = undefined as never;
const empty = {} as never;

it.each([
  ["memoryInbox with part of a row", () => memoryInbox({ capacity: 1.5 }), /"capacity"/],
  ["sqliteInbox in memory", () => sqliteInbox(":memory:"), /path of a file/],
  ["sqliteInbox without a path", () => sqliteInbox(empty), /path of a file/],
  ["half a cipher", () => sqliteInbox({ path: "inbox.db", encrypt: String }), /"decrypt"/],
  [
    "a negative time for bodies",
    () => postgresInbox(unusedPool, { ...shop, bodyRetentionMs: -1 }),
    /"bodyRetentionMs"/,
  ],
  ["postgresInbox without a pool", () => postgresInbox(none, shop), /pg\.Pool/],
  [
    "postgresInbox with one connection",
    () => postgresInbox({ ...unusedPool, options: { max: 1 } }, shop),
    /2 connections/,
  ],
  ["postgresInbox without options", () => postgresInbox(unusedPool, none), /"schema"/],
  ["postgresInbox with SQL", () => postgresInbox(unusedPool, { schema: 'a"; DROP' }), /"schema"/],
  ["no time", () => postgresInbox(unusedPool, { ...shop, timeoutMs: 0 }), /"timeoutMs"/],
  ["redisInbox without a client", () => redisInbox(empty, { prefix: "a" }), /ioredis or redis/],
  ["redisInbox without options", () => redisInbox(unusedClient, none), /"prefix"/],
  ["redisInbox with braces", () => redisInbox(unusedClient, { prefix: "{a}" }), /"prefix"/],
])("an inbox without its namespace or its client is rejected: %s", (_what, make, message) => {
  expect(make).toThrow(TypeError);
  expect(make).toThrow(message);
});

describe("the memory inbox", () => {
  const settlement = (id: string) => ({
    key: { provider: "acme", tenant: "", id },
    token: 1,
    now: 0,
  });

  it("forgets the oldest handled event beyond its capacity, and never a claim", async () => {
    const inbox = memoryInbox({ capacity: 2 });
    await inbox.claim(claimOf("held"));
    for (const id of ["a", "b", "c"]) {
      await inbox.claim(claimOf(id));
      await inbox.complete(settlement(id));
    }
    expect(await inbox.claim(claimOf("a"))).toMatchObject({ state: "claimed" });
    for (const id of ["b", "c"])
      expect(await inbox.claim(claimOf(id))).toMatchObject({ state: "handled" });
    expect(await inbox.claim(claimOf("held"))).toMatchObject({ state: "busy" });
  });

  it("keeps the order in which events ended while one of them fails thousands of times", async () => {
    const inbox = memoryInbox({ capacity: 2 });
    let token = 1;
    for (const id of ["a", "b"]) {
      for (const end = token + 1500; token < end; token += 1) {
        expect(await inbox.claim(claimOf("failing"))).toEqual({ state: "claimed", token });
        await inbox.release({ ...settlement("failing"), token });
      }
      await inbox.claim(claimOf(id));
      await inbox.complete(settlement(id));
    }
    expect(await inbox.claim(claimOf("a"))).toMatchObject({ state: "claimed" });
    expect(await inbox.claim(claimOf("b"))).toMatchObject({ state: "handled" });
    expect(await inbox.claim(claimOf("failing"))).toEqual({ state: "claimed", token });
  });
});

describe("the Redis inbox", () => {
  const prefix = "a";
  const never = (): Promise<never> => new Promise(() => undefined);

  it.each([null, "OK", {}])("rejects a claim that Redis answers with %j", async (answer) => {
    const inbox = redisInbox({ call: () => Promise.resolve(answer) }, { prefix });
    await expect(inbox.claim(claimOf("a"))).rejects.toThrow(/answered .* something else/);
  });

  it("rejects a claim if the store neither takes nor shows the event", async () => {
    const call = async (_command: string, ...[, , , operation]: string[]): Promise<unknown> => {
      await setImmediate();
      return operation === "write" ? "changed" : [null, null];
    };
    const inbox = redisInbox({ call }, { prefix });
    await expect(inbox.claim(claimOf("a"))).rejects.toThrow(/neither takes nor shows/);
  });

  it("connects again, once, if Redis has answered nothing within the time limit, and takes no further calls behind 1,000 late ones", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const [disconnect, on] = [vi.fn<() => void>(), vi.fn<() => void>()];
    const client = { status: "ready", call: vi.fn<() => Promise<never>>(never), disconnect, on };
    const inbox = redisInbox(client, { prefix, timeoutMs: 20 });
    const claims = Array.from({ length: 1000 }, (_, id) => inbox.claim(claimOf(String(id))));
    const settled = Promise.allSettled(claims);
    await vi.advanceTimersByTimeAsync(20);
    expect(new Set((await settled).map(({ status }) => status))).toEqual(new Set(["rejected"]));
    expect(disconnect.mock.calls).toEqual([[true]]);
    expect(on).toHaveBeenCalledTimes(1);
    await expect(inbox.claim(claimOf("a"))).rejects.toThrow("did not answer within 20 ms");
    expect(client.call).toHaveBeenCalledTimes(1000);
  });

  it("keeps a connection that answers other commands", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const sendCommand = vi.fn<() => Promise<unknown>>(never);
    const destroy = vi.fn<() => void>();
    const client = { isReady: true, sendCommand, destroy, connect: never };
    const inbox = redisInbox(client, { prefix, timeoutMs: 20 });
    const slow = Promise.allSettled([inbox.claim(claimOf("a"))]);
    await vi.advanceTimersByTimeAsync(10);
    sendCommand.mockResolvedValueOnce("done");
    await inbox.claim(claimOf("b"));
    await vi.advanceTimersByTimeAsync(10);
    expect((await slow)[0].status).toBe("rejected");
    expect(destroy).not.toHaveBeenCalled();
  });
});

describe.skipIf(redisBinary === undefined)("the Redis inbox on its server", () => {
  let client: Redis;
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis();
    client = new Redis(server.port, "127.0.0.1");
  });
  afterAll(() => {
    client.disconnect();
    server.stop();
  });

  it("leaves nothing of the events that it forgets", async () => {
    const inbox = redisInbox(client, { prefix: "forgetful" });
    for (const id of ["a", "b"])
      await inbox.claim(claimOf(id, { sameBytes: "report", resource: { name: id, timestamp: 0 } }));
    expect((await client.keys("{forgetful}*")).length).toBeGreaterThan(3);
    expect(await inbox.purge({ before: 1, limit: 10 })).toBe(2);
    expect(await client.keys("{forgetful}*")).toEqual([]);
    expect(await inbox.purge({ before: DAY, limit: 10 })).toBe(0);
  });
});

it("the SQLite inbox creates files that only their owner can read, and keeps the mode of an existing file", async () => {
  const path = join(temporaryFolder(), "inbox.db");
  const mask = process.umask(0o022);
  onTestFinished(() => void process.umask(mask));
  const inbox = sqliteInbox(path);
  await inbox.claim(claimOf("a"));
  for (const file of [path, `${path}-wal`, `${path}-shm`])
    expect(statSync(file).mode & 0o777).toBe(0o600);
  inbox.close();
});

describe("a SQLite inbox with thousands of events that wait for an older one of their resource", () => {
  const look = { provider: "acme", limit: 16, leaseMs: 60_000, maxAttempts: 10 };

  /** For each resource one event that a worker has, and others behind it. */
  async function waiting(counts: { readonly resources: number; readonly behindEach: number }) {
    const path = join(temporaryFolder(), "inbox.db");
    const inbox = sqliteInbox(path);
    onTestFinished(() => inbox.close());
    const resource = { name: "payment:0", timestamp: 0 };
    await inbox.queue.store({ ...claimOf("0.0"), body: "{}", facts: "{}", resource });
    await inbox.queue.take({ ...look, now: 0 });
    const database = new DatabaseSync(path);
    const values: Readonly<Record<string, string>> = {
      id: "r.value || '.' || n.value",
      resource: "'acme:0::payment:' || r.value",
      state: "iif(n.value = 0, 'claimed', 'waiting')",
      due_at: "iif(n.value = 0, due_at, 0)",
    };
    const columns = inboxColumns.map((name) => values[name] ?? name).join();
    const upTo = (name: string, last: number): string =>
      `${name}(value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM ${name} WHERE value < ${String(last)})`;
    database.exec(`WITH RECURSIVE ${upTo("r", counts.resources - 1)}, ${upTo("n", counts.behindEach)}
      INSERT INTO countersign_events (${inboxColumns.join()})
      SELECT ${columns} FROM countersign_events, n, r WHERE r.value + n.value > 0`);
    database.close();
    return { inbox, resource };
  }

  it(
    "looks for work in a time that does not grow with the events behind one",
    { tags: "ci" },
    async () => {
      const twentyLooks = async (behindEach: number): Promise<number> => {
        const { inbox } = await waiting({ resources: 1, behindEach });
        const before = process.cpuUsage();
        for (let now = 0; now < 20; now += 1)
          expect(await inbox.queue.take({ ...look, now })).toEqual([]);
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1000;
      };
      await twentyLooks(100);
      expect(await twentyLooks(50_000)).toBeLessThan(5 * (await twentyLooks(500)) + 50);
    },
  );

  it("takes an event of another resource after a few looks", async () => {
    const { inbox, resource } = await waiting({ resources: 2500, behindEach: 2 });
    const other = { ...resource, name: "zebra" };
    await inbox.queue.store({ ...claimOf("free"), body: "{}", facts: "{}", resource: other });
    const ids: string[] = [];
    for (let now = 0; now < 3; now += 1)
      ids.push(...(await inbox.queue.take({ ...look, now })).map(({ key }) => key.id));
    expect(ids).toEqual(["free"]);
  });
});

describePostgres("the PostgreSQL inbox", (server) => {
  let pool: Pool;
  beforeAll(async () => {
    pool = new Pool({ connectionString: server().urlOf(await server().create()), max: 4 });
    await postgresInbox(pool, { schema: "shop" }).migrate();
  });
  afterAll(() => pool.end());

  it("is migrated once by three processes at once", async () => {
    const inbox = postgresInbox(pool, { schema: "migrated" });
    await Promise.all([inbox.migrate(), inbox.migrate(), inbox.migrate()]);
    expect(await inbox.claim(claimOf("a"))).toMatchObject({ state: "claimed" });
  });

  it("is migrated by its printed SQL", async () => {
    await pool.query(postgresTables("printed"));
    const inbox = postgresInbox(pool, { schema: "printed" });
    await inbox.migrate();
    expect(await inbox.purge({ before: 0, limit: 1 })).toBe(0);
  });

  it("says how to create its tables while they are missing", async () => {
    const inbox = postgresInbox(pool, { schema: "late" });
    await expect(inbox.claim(claimOf("a"))).rejects.toThrow(
      'PostgreSQL has no table "late".events: await inbox.migrate() when your app starts',
    );
    await inbox.migrate();
    expect(await inbox.claim(claimOf("a"))).toMatchObject({ state: "claimed" });
  });

  it("is refused with the columns that differ if its table is of another version", async () => {
    await pool.query(postgresTables("older"));
    await pool.query("ALTER TABLE older.events RENAME COLUMN provider TO source");
    const inbox = postgresInbox(pool, { schema: "older" });
    const refused = /"older"\.events is of another version \(missing: provider; unknown: source\)/;
    await expect(inbox.migrate()).rejects.toThrow(refused);
    await expect(inbox.claim(claimOf("a"))).rejects.toThrow(refused);
    await expect(inbox.queue.dead({ limit: 1 })).rejects.toThrow(refused);
  });

  it("claims an event whose type has a NUL, which PostgreSQL's text cannot hold", async () => {
    const inbox = postgresInbox(pool, { schema: "shop" });
    const claims = [claimOf("nul", { type: "a\0b" }), claimOf("other", { type: "b" })];
    const states = await Promise.all(claims.map((claim) => inbox.claim(claim)));
    expect(states.map(({ state }) => state)).toEqual(["claimed", "claimed"]);
  });

  it("takes what is free while another connection has locked an older event", async () => {
    const inbox = postgresInbox(pool, { schema: "locked" });
    await inbox.migrate();
    for (const id of ["a", "b"])
      await inbox.queue.store({ ...claimOf(id), body: "{}", facts: "{}" });
    const client = await pool.connect();
    onTestFinished(() => client.release(true));
    await client.query("BEGIN; SELECT id FROM locked.events WHERE id = 'a' FOR UPDATE");
    const limits = { leaseMs: 60_000, maxAttempts: 10 };
    const taken = await inbox.queue.take({ provider: "acme", limit: 2, now: 0, ...limits });
    expect(taken.map(({ key }) => key.id)).toEqual(["b"]);
  });

  it("fails one event of a statement without its neighbours", async () => {
    const inbox = postgresInbox(pool, { schema: "shop" });
    const bad = claimOf("", { key: { provider: "acme", tenant: "", id: "a\0b" } });
    const claims = await Promise.allSettled([inbox.claim(bad), inbox.claim(claimOf("2"))]);
    expect(claims.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  });
});

describePostgres("the PostgreSQL inbox through PgBouncer", (server) => {
  it.skipIf(pgbouncerBinary === undefined)(
    "[R-ACK-FAILED] commits a handler's writes with its event, and leaves no time limit behind",
    async () => {
      const database = await server().create();
      const { port, stop } = await startPgbouncer(server(), { connections: 3 });
      const pool = new Pool({ host: "127.0.0.1", port, database, user: "postgres", max: 8 });
      onTestFinished(async () => {
        await pool.end();
        stop();
      });
      const inbox = postgresInbox(pool, { schema: "shop" });
      await inbox.migrate();
      await pool.query("CREATE TABLE booked (id text PRIMARY KEY)");
      const receiver = createReceiver({ ...silent, inbox }).on(
        "PAYMENT",
        async ({ id }, { transaction }) => {
          await transaction.query("INSERT INTO booked (id) VALUES ($1)", [id]);
          if (Number(id.slice(4)) % 4 === 0) throw new Error("no");
        },
      );
      const ids = Array.from({ length: 40 }, (_, index) => `evt_${String(index)}`);
      const outcomes = await Promise.all(ids.map((id) => receiver.receive(refundAttempt(id))));
      expect(outcomes.filter(({ kind }) => kind === "failed")).toHaveLength(10);
      const { rows } = await pool.query("SELECT count(*)::int AS count FROM booked");
      expect(rows).toEqual([{ count: 30 }]);
      const limits = await Promise.all(ids.map(() => pool.query("SHOW statement_timeout")));
      for (const limit of limits) expect(limit.rows).toEqual([{ statement_timeout: "0" }]);
    },
  );
});
