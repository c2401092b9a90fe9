import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { InboxQueue } from "@countersign/receiver";
import { postgresInbox } from "@countersign/receiver/postgres";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  postgresBinaries,
  startPostgres,
  type TestServer,
} from "../../receiver/test/inboxes/postgres-server.ts";
import { ran } from "./ran.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "countersign-inbox-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Stores an event and gives it up. */
async function bury(
  queue: InboxQueue,
  key: { tenant: string; id: string },
  reason: string,
): Promise<void> {
  const now = Date.parse("2026-11-21T09:30:00.000Z");
  await queue.store({ key, digest: "x", type: "refund.failed", body: "{}", now });
  const [taken] = await queue.take({ limit: 1, leaseMs: 60_000, now, maxAttempts: 1 });
  if (taken === undefined) throw new Error("nothing was taken");
  await queue.fail({
    key,
    token: taken.token,
    attempts: 1,
    reason,
    now,
    retryAt: now,
    maxAttempts: 1,
  });
}

/** What both databases owe. `place` is how the command finds the inbox. */
function describeInbox(
  name: string,
  place: () => { args: readonly string[]; env: Record<string, string> },
  open: () => { queue: InboxQueue; close: () => unknown },
): void {
  describe(`countersign inbox on ${name}`, () => {
    it("makes the tables, again without harm, lists the dead and retries them", async () => {
      const { args, env } = place();
      const inbox = (...given: readonly string[]): ReturnType<typeof ran> =>
        ran(["inbox", ...given, ...args], env);
      expect(await inbox("dead")).toMatchObject({
        status: 2,
        err: expect.stringMatching(/^countersign: CS_CLI_DATABASE_UNUSABLE: /) as unknown,
      });
      expect(await inbox("migrate")).toEqual({
        status: 0,
        out: "",
        err: "the inbox is of this version\n",
      });
      expect(await inbox("migrate", "--json")).toEqual({
        status: 0,
        out: '{"migrated":true}\n',
        err: "",
      });
      expect(await inbox("dead")).toEqual({ status: 0, out: "", err: "0 dead events\n" });

      const { queue, close } = open();
      await bury(queue, { tenant: "", id: "evt_1" }, "boom\u001b[2J\nnext");
      await bury(queue, { tenant: "acme", id: "evt_2" }, "no such order");
      await close();

      const { status, out, err } = await inbox("dead");
      expect({ status, err }).toEqual({ status: 0, err: "2 dead events\n" });
      expect(out.trim().split("\n").toSorted()).toEqual([
        "evt_1  refund.failed  2026-11-21T09:30:00.000Z  1 attempt  boom\\u{1b}[2J\\u{a}next",
        "evt_2  tenant acme  refund.failed  2026-11-21T09:30:00.000Z  1 attempt  no such order",
      ]);
      expect((await inbox("dead", "--limit", "1")).err).toBe(
        "1 dead event, and there may be more: --limit\n",
      );

      expect(await inbox("retry", "evt_2")).toEqual({
        status: 1,
        out: "",
        err: "there is no dead event evt_2\n",
      });
      expect(await inbox("retry", "evt_2", "--tenant", "acme")).toMatchObject({ status: 0 });
      const again = await inbox("retry", "evt_2", "--tenant", "acme", "--json");
      expect({ status: again.status, out: JSON.parse(again.out) as unknown }).toEqual({
        status: 1,
        out: { tenant: "acme", id: "evt_2", retried: false },
      });
      expect(JSON.parse((await inbox("dead", "--json")).out)).toEqual({
        events: [
          {
            tenant: "",
            id: "evt_1",
            type: "refund.failed",
            attempts: 1,
            reason: "boom\u001b[2J\nnext",
            diedAt: "2026-11-21T09:30:00.000Z",
          },
        ],
      });
    });
  });
}

const home = mkdtempSync(join(tmpdir(), "countersign-inbox-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const file = join(home, "inbox.db");
describeInbox(
  "SQLite",
  () => ({ args: ["--database", file], env: {} }),
  () => sqliteInbox(file),
);

const reason = postgresBinaries === undefined ? " (skipped: PostgreSQL is not installed)" : "";
describe.skipIf(postgresBinaries === undefined)(`with a server${reason}`, () => {
  let server: TestServer;
  const url = (): string => `postgres://postgres:hush@127.0.0.1:${String(server.port)}/postgres`;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.stop());

  describeInbox(
    "PostgreSQL",
    () => {
      const path = join(home, "url");
      writeFileSync(path, `${url()}\n`);
      return { args: ["--schema", "shop"], env: { COUNTERSIGN_DATABASE_URL_FILE: path } };
    },
    () => {
      const pool = new pg.Pool({ connectionString: url() });
      return { queue: postgresInbox(pool, { schema: "shop" }).queue, close: () => pool.end() };
    },
  );

  it("prints SQL that makes the inbox where another tool applies it", async () => {
    const { out } = await ran(["inbox", "migrate", "--print", "--schema", "printed"]);
    const pool = new pg.Pool({ connectionString: url() });
    await pool.query(out);
    await pool.end();
    const env = { COUNTERSIGN_DATABASE_URL: url() };
    expect(await ran(["inbox", "dead", "--schema", "printed"], env)).toMatchObject({ status: 0 });
    expect(await ran(["inbox", "migrate", "--schema", "printed"], env)).toMatchObject({
      status: 0,
    });
  });
});

describe("countersign inbox", () => {
  it("prints SQLite's SQL too, and touches no file", async () => {
    const path = join(folder(), "inbox.db");
    const { status, out } = await ran(["inbox", "migrate", "--print", "--database", path]);
    expect({ status, there: existsSync(path) }).toEqual({ status: 0, there: false });
    const database = new DatabaseSync(path);
    database.exec(out);
    database.close();
    expect(await ran(["inbox", "dead", "--database", path])).toMatchObject({ status: 0 });
  });

  it("leaves a file of something else as it is", async () => {
    const path = join(folder(), "shop.db");
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE orders (id TEXT)");
    const args = ["inbox", "dead", "--database", path];
    expect(await ran(args)).toMatchObject({
      status: 2,
      err: expect.stringContaining("run countersign inbox migrate") as unknown,
    });
    expect(database.prepare("SELECT name FROM sqlite_master").all()).toEqual([{ name: "orders" }]);
    database.close();
  });

  it.each([
    ["no inbox", [], {}, "CS_CLI_ENVIRONMENT_UNUSABLE"],
    [
      "two inboxes",
      ["--database", "x"],
      { COUNTERSIGN_DATABASE_URL: "postgres://u:hush@h/d" },
      "CS_CLI_ENVIRONMENT_UNUSABLE",
    ],
    [
      "another database's URL",
      [],
      { COUNTERSIGN_DATABASE_URL: "mysql://u:hush@h/d" },
      "CS_CLI_ENVIRONMENT_UNUSABLE",
    ],
    [
      "a file that is not there",
      ["--database", "/no/such/inbox.db"],
      {},
      "CS_CLI_DATABASE_UNUSABLE",
    ],
    [
      "a server that is not there",
      [],
      { COUNTERSIGN_DATABASE_URL: "postgres://u:hush@127.0.0.1:9/d" },
      "CS_CLI_DATABASE_UNUSABLE",
    ],
    [
      "a schema that is no name",
      ["--database", "x", "--schema", 'a"; DROP'],
      {},
      "CS_CLI_ARGUMENT_UNUSABLE",
    ],
  ])("ends with 2 for %s, and tells no password", async (_what, args, env, code) => {
    for (const command of [["dead"], ["retry", "evt_1"]]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { status, out, err } = await ran(["inbox", ...command, ...args], env);
      expect({ status, out }).toEqual({ status: 2, out: "" });
      expect(err).toContain(`countersign: ${code}: `);
      expect(err).not.toContain("hush");
    }
  });
});
