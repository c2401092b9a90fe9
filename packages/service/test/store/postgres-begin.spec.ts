import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { postgresBinaries } from "../../../receiver/test/inboxes/postgres-server.ts";
import {
  sharedPostgres,
  type SharedPostgres,
} from "../../../receiver/test/inboxes/shared-postgres.ts";
import { postgresDriver } from "../../src/store/postgres-driver.ts";
import { cuttingProxy } from "./cutting-proxy.ts";

const reason = postgresBinaries === undefined ? " (skipped: PostgreSQL is not installed)" : "";
const SYNTAX_ERROR = "42601";
const READ_ONLY = "25006";
const FORBIDDEN = "42501";
const unavailable = { code: "CS_STORE_UNAVAILABLE", outcome: "undone" };

// A transaction's first statement does not wait for the answer to BEGIN.
describe.skipIf(postgresBinaries === undefined)(`a transaction that cannot begin${reason}`, () => {
  let server: SharedPostgres;
  beforeAll(async () => {
    server = await sharedPostgres();
  }, 60_000);
  afterAll(() => server.stop());

  /** An empty database with an empty table `notes (id)`. */
  async function openNotes() {
    const database = await server.create();
    const urlAt = (port: number, user = "postgres"): string =>
      `postgres://${user}@127.0.0.1:${String(port)}/${database}`;
    const admin = new pg.Client(urlAt(server.port));
    await admin.connect();
    onTestFinished(() => admin.end());
    await admin.query("CREATE TABLE notes (id bigint PRIMARY KEY)");
    const driverAt = (url: string) => {
      const driver = postgresDriver({ url, maxConnections: 1 });
      onTestFinished(() => driver.close());
      return driver;
    };
    return { admin, urlAt, driverAt };
  }

  it("says so; its statement, which stands alone then, has written nothing", async () => {
    const { urlAt, driverAt } = await openNotes();
    const proxy = await cuttingProxy(server.port);
    const driver = driverAt(urlAt(proxy.port));
    const insert = (id: number): Promise<unknown> =>
      driver.transaction((tx) => tx.query("INSERT INTO notes (id) VALUES ($1)", [id]));
    proxy.failNext("BEGIN", "garbled");
    const { promise: told, resolve } = Promise.withResolvers<unknown>();
    const outcome = driver.transaction(async (tx) => {
      await tx.query("INSERT INTO notes (id) VALUES ($1)", [1]).catch(resolve);
      return "as if it had been written";
    });
    await expect(outcome).rejects.toMatchObject({ ...unavailable, cause: { code: SYNTAX_ERROR } });
    expect(await told).toMatchObject({ code: READ_ONLY });
    expect(await driver.query("SELECT id FROM notes")).toEqual([]);
    await insert(2);
    expect(await driver.query("SELECT id FROM notes")).toEqual([{ id: 2 }]);
  });

  it("leaves its connection to the next call as if nothing had been asked", async () => {
    const { admin, urlAt, driverAt } = await openNotes();
    const role = `limited_${randomUUID().replaceAll("-", "")}`;
    await admin.query(`CREATE ROLE ${role} LOGIN;
      REVOKE EXECUTE ON FUNCTION pg_postmaster_start_time FROM PUBLIC`);
    const driver = driverAt(urlAt(server.port, role));
    const outcome = driver.transaction((tx) => tx.query("SELECT 1 AS one"));
    await expect(outcome).rejects.toMatchObject({ ...unavailable, cause: { code: FORBIDDEN } });
    expect(await driver.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await admin.query(`DROP ROLE ${role}`);
  });

  it("does nothing of an exclusive one", async () => {
    const { urlAt, driverAt } = await openNotes();
    const proxy = await cuttingProxy(server.port);
    const driver = driverAt(urlAt(proxy.port));
    proxy.failNext("BEGIN", "garbled");
    let hasRun = false;
    const outcome = driver.exclusive(async () => {
      hasRun = true;
    });
    await expect(outcome).rejects.toMatchObject({ ...unavailable, cause: { code: SYNTAX_ERROR } });
    expect(hasRun).toBe(false);
  });
});
