import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { InboxQueue } from "@countersign/receiver";
import { postgresInbox } from "@countersign/receiver/postgres";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { describePostgres } from "../../receiver/test/inboxes/describe-postgres.ts";
import { failedWith } from "./fixtures.ts";
import { ran, type Ran } from "./ran.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

type Inbox = (...args: readonly string[]) => Promise<Ran>;
const now = Date.parse("2026-11-21T09:30:00.000Z");
const diedAt = "2026-11-21T09:30:00.000Z";

async function bury(queue: InboxQueue, tenant: string, id: string, reason: string): Promise<void> {
  const key = { provider: "stripe", tenant, id };
  await queue.store({ key, digest: "x", type: "refund.failed", body: "{}", facts: "{}", now });
  const [taken] = await queue.take({
    provider: "stripe",
    limit: 1,
    leaseMs: 60_000,
    now,
    maxAttempts: 1,
  });
  if (taken === undefined) throw new Error("nothing was taken");
  const failed = { attempts: 1, reason, now, retryAt: now, maxAttempts: 1 };
  await queue.fail({ key, token: taken.token, ...failed });
}

/** Runs the tests of every database, from an empty one on. */
async function expectInbox(
  inbox: Inbox,
  open: () => Promise<{ queue: InboxQueue; close: () => unknown }>,
) {
  expect(await inbox("dead")).toEqual(failedWith("DATABASE_UNUSABLE"));
  const { queue, close } = await open();
  expect(await inbox("dead")).toEqual({ status: 0, out: "", err: "0 dead events\n" });
  await bury(queue, "", "evt_1", "boom\u001b[2J\nnext");
  await bury(queue, "acme", "evt 2", "no such order");
  await close();

  expect(await inbox("status")).toMatchObject({ status: 0, out: "0 unhandled, 0 overdue\n" });
  const { status, out, err } = await inbox("dead");
  expect({ status, err }).toEqual({ status: 0, err: "2 dead events\n" });
  expect(out.trim().split("\n").toSorted()).toEqual([
    `stripe evt 2  tenant acme  refund.failed  ${diedAt}  1 attempt  no such order`,
    `stripe evt_1  refund.failed  ${diedAt}  1 attempt  boom\\u{1b}[2J\\u{a}next`,
  ]);
  expect((await inbox("dead", "--limit", "1")).err).toMatch(/^1 dead event, .*--limit\n$/);

  expect(await inbox("retry", "stripe", "evt", "2")).toMatchObject({ status: 1, out: "" });
  expect(await inbox("retry", "stripe", "evt", "2", "--tenant", "acme")).toMatchObject({
    status: 0,
  });
  const again = await inbox("retry", "stripe", "evt", "2", "--tenant", "acme", "--json");
  expect([again.status, JSON.parse(again.out)]).toEqual([
    1,
    { provider: "stripe", tenant: "acme", id: "evt 2", retried: false },
  ]);
  expect(await inbox("status", "--overdue-after", "60")).toMatchObject({
    status: 0,
    out: expect.stringMatching(
      /^1 unhandled, 0 overdue\noldest: stripe evt 2 {2}tenant acme {2}refund\.failed {2}stored 2026-11-21T09:30:00\.000Z {2}due .* {2}0 attempts\n$/,
    ) as unknown,
  });
  const waiting = await inbox("status", "--overdue-after", "0", "--json");
  expect([waiting.status, JSON.parse(waiting.out)]).toMatchObject([
    1,
    {
      unhandled: 1,
      overdue: 1,
      oldest: { provider: "stripe", tenant: "acme", id: "evt 2", attempts: 0 },
    },
  ]);
  expect(await inbox("erase", "stripe", "evt_9")).toEqual({
    status: 1,
    out: "",
    err: "stripe evt_9 is not in the inbox\n",
  });
  const own = ["erase", "stripe", "evt", "2", "--tenant", "acme"];
  expect(await inbox(...own)).toEqual({
    status: 0,
    out: "",
    err: "stripe evt 2  tenant acme is erased\n",
  });
  expect(JSON.parse((await inbox(...own, "--json")).out)).toMatchObject({ result: "erased" });
  expect(await inbox("status")).toMatchObject({ status: 0, out: "0 unhandled, 0 overdue\n" });
  const event = {
    provider: "stripe",
    tenant: "",
    id: "evt_1",
    type: "refund.failed",
    attempts: 1,
    diedAt,
  };
  expect(JSON.parse((await inbox("dead", "--json")).out)).toEqual({
    events: [{ ...event, reason: "boom\u001b[2J\nnext" }],
  });
}

describe("countersign inbox on SQLite", () => {
  it("lists dead events and retries them", async () => {
    const file = join(temporaryFolder(), "inbox.db");
    const inbox: Inbox = (...args) => ran(["inbox", ...args, "--database", file]);
    await expectInbox(inbox, () => Promise.resolve(sqliteInbox(file)));
    expect(await inbox("dead")).toMatchObject({ status: 0 });
  });

  it("prints the type once for an id that ends in it", async () => {
    const file = join(temporaryFolder(), "inbox.db");
    const inbox: Inbox = (...args) => ran(["inbox", ...args, "--database", file]);
    const own = sqliteInbox(file);
    const key = { provider: "github", tenant: "acme", id: "72d3162e-cc78 issues.opened" };
    const order = { key, digest: "x", type: "issues.opened", body: "{}", facts: "{}", now };
    await own.queue.store(order);
    const { out: status } = await inbox("status");
    const taking = { provider: "github", limit: 1, leaseMs: 60_000, now, maxAttempts: 1 };
    const [taken] = await own.queue.take(taking);
    await own.queue.fail({
      key,
      token: taken?.token ?? 0,
      attempts: 1,
      reason: "boom",
      now,
      retryAt: now,
      maxAttempts: 1,
    });
    own.close();
    const shown = "github 72d3162e-cc78 issues.opened  tenant acme  ";
    expect(status).toContain(`\noldest: ${shown}stored `);
    expect((await inbox("dead")).out).toBe(`${shown}${diedAt}  1 attempt  boom\n`);
  });

  it("says that an inbox is of another version, and which columns differ", async () => {
    const path = join(temporaryFolder(), "inbox.db");
    sqliteInbox(path).close();
    const database = new DatabaseSync(path);
    database.exec("ALTER TABLE countersign_events RENAME COLUMN provider TO source");
    database.close();
    const { status, err } = await ran(["inbox", "dead", "--database", path]);
    expect(status).toBe(2);
    expect(err).toContain("another version (missing: provider; unknown: source)");
  });

  it("does not change a database that is not an inbox", async () => {
    const path = join(temporaryFolder(), "shop.db");
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE orders (id TEXT)");
    const { status, err } = await ran(["inbox", "dead", "--database", path]);
    expect([status, err]).toEqual([2, expect.stringContaining("it has no inbox")]);
    expect(database.prepare("SELECT name FROM sqlite_master").all()).toEqual([{ name: "orders" }]);
    database.close();
  });
});

describePostgres("countersign inbox on PostgreSQL", (server) => {
  let url: string;
  beforeAll(async () => {
    url = server()
      .urlOf(await server().create())
      .replace("postgres@", "postgres:hush@");
  });

  it("lists dead events and retries them", async () => {
    const path = join(temporaryFolder(), "url");
    writeFileSync(path, `${url}\n`);
    const env = { COUNTERSIGN_DATABASE_URL_FILE: path };
    const inbox: Inbox = (...args) => ran(["inbox", ...args, "--schema", "shop"], env);
    const pool = new pg.Pool({ connectionString: url });
    const shop = postgresInbox(pool, { schema: "shop" });
    expect((await inbox("dead")).err).toContain("it has no inbox");
    await expectInbox(inbox, async () => {
      await shop.migrate();
      return { queue: shop.queue, close: () => pool.end() };
    });
    expect(await inbox("dead")).toMatchObject({ status: 0 });
  });

  it("needs a schema", async () => {
    const { status, err } = await ran(["inbox", "status"], { COUNTERSIGN_DATABASE_URL: url });
    expect([status, err]).toEqual([2, expect.stringContaining("missing --schema")]);
  });
});
