import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { describePostgres } from "../../../receiver/test/inboxes/describe-postgres.ts";
import { StoreUnavailableError } from "../../src/store/driver.ts";
import { postgresDriver } from "../../src/store/postgres/driver.ts";
import { openService, type TestService } from "../open-service.ts";
import { temporaryDatabase } from "../temporary-database.ts";

/** A call whose first statement is a read outside a transaction. */
async function expectUnavailable({ call, clock }: TestService): Promise<void> {
  const answer = await call("GET", "/v1/customers/cus_none");
  expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
  expect(answer.body).toMatchObject({ errorDetails: { errorCode: "SERVICE_UNAVAILABLE" } });
  clock.advance(1000);
  const ready = await call("GET", "/readyz", { token: null });
  expect([ready.status, ready.text]).toEqual([
    503,
    expect.stringContaining("not ready: database."),
  ]);
}

const code = "CS_STORE_UNAVAILABLE";

describe("a call whose first read fails", () => {
  it("is answered 503 on SQLite when the file cannot be read, and /readyz names the database", async () => {
    const file = temporaryDatabase();
    const opened = await openService({ file });
    ruin(file);
    await expectUnavailable(opened);
    const { driver } = opened;
    await expect(driver.query("SELECT hash FROM tokens")).rejects.toMatchObject({ code });
    const writing = driver.transaction((tx) => tx.query("DELETE FROM tokens"));
    await expect(writing).rejects.toMatchObject({ code, outcome: "undone" });
    // The statement's own fault stays the caller's.
    await expect(driver.query("SELECT nothing")).rejects.not.toHaveProperty("code", code);
  });

  describePostgres("on PostgreSQL", (server) => {
    it("is answered 503 when it has too many connections, and /readyz names the database", async () => {
      const url = new URL(server().urlOf(await server().create()));
      const admin = new pg.Client(url.href);
      await admin.connect();
      onTestFinished(() => admin.end());
      url.username = `limited_${process.pid}`;
      await admin.query(`CREATE ROLE ${url.username} LOGIN; GRANT ALL ON SCHEMA public TO PUBLIC`);
      const driver = postgresDriver({ url: url.href });
      const opened = await openService({ driver });
      await admin.query(`ALTER ROLE ${url.username} CONNECTION LIMIT 0`);
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1",
        [url.username],
      );
      await expectUnavailable(opened);
      await expect(driver.query("SELECT 1")).rejects.toMatchObject({ code });
    });
  });
});

it("a call whose COMMIT has an unknown outcome is answered 503, which says that it may be stored", async () => {
  const { hooks, subscribe } = await openService();
  hooks.commit = () => {
    throw new StoreUnavailableError("the connection ended", { outcome: "unknown" });
  };
  const { status, body } = await subscribe();
  expect(status).toBe(503);
  const errorMessage = "The service may have stored the call; repeat it with the same values.";
  expect(body).toMatchObject({ errorDetails: { errorCode: "SERVICE_UNAVAILABLE", errorMessage } });
});

/** Overwrites a database's file behind its first page. */
function ruin(file: string): void {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const { page_size: start } = database.prepare("PRAGMA page_size").get() ?? {};
  database.close();
  const bytes = readFileSync(file).fill(255, Number(start));
  writeFileSync(file, bytes);
}
