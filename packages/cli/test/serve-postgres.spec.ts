import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { postgresDriver } from "@countersign/service";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../receiver/test/free-port.ts";
import {
  postgresBinaries,
  startPostgres,
  type TestServer,
} from "../../receiver/test/inboxes/postgres-server.ts";
import { shareDatabase } from "../../service/test/instances/shared-database.ts";
import { expectToldOnce } from "../../service/test/instances/told-once.ts";
import { ran } from "./ran.ts";
import { serveHere } from "./serve-here.ts";
import { temporaryFolder } from "./start-command.ts";

const REFUNDS = 90;

const keys = { COUNTERSIGN_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString("base64")}` };
const client = {
  ...keys,
  COUNTERSIGN_CLIENT_ID: "cli_merchant",
  COUNTERSIGN_CLIENT_SECRET: "a-client-secret-of-24-or-more",
};
const basic = Buffer.from(`${client.COUNTERSIGN_CLIENT_ID}:${client.COUNTERSIGN_CLIENT_SECRET}`);

const tokenFrom = (url: string): Promise<Response> =>
  fetch(new URL("/v1/tokens", url), {
    method: "POST",
    headers: { authorization: `Basic ${basic.toString("base64")}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });

const reason = postgresBinaries === undefined ? " (skipped: PostgreSQL is not installed)" : "";

describe.skipIf(postgresBinaries === undefined)(`countersign serve on PostgreSQL${reason}`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.stop());

  it("starts several times at once on an empty database, and they answer for each other", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "url");
    writeFileSync(file, `postgres://postgres:hush@127.0.0.1:${server.port}/postgres\n`);
    const env = { ...client, COUNTERSIGN_DATABASE_URL_FILE: file };
    // Each has connections of its own, over which alone they meet.
    const all = await Promise.all([1, 2, 3].map(() => serveHere(["serve", "--port", "0"], env)));
    const urls = all.map(({ url }) => url);
    const { access_token: token } = (await (await tokenFrom(urls[0] ?? "")).json()) as {
      access_token: string;
    };
    const headers = { authorization: `Bearer ${token}` };
    for (const url of urls) {
      const answer = await fetch(new URL("/v1/customers/cus_none", url), { headers });
      expect(answer.status).toBe(404);
    }
    expect(await Promise.all(all.map((one) => one.end()))).toEqual([0, 0, 0]);
    for (const one of all) {
      expect(one.stderr()).toContain(`database  postgres://127.0.0.1:${server.port}/postgres\n`);
      expect(one.stderr()).not.toContain("hush");
    }
  });

  // As processes of their own: packages/service/test/instances.
  it("moves each due refund once, and begins each attempt once, where three serve", async () => {
    const database = `postgres://postgres@127.0.0.1:${server.port}/shared`;
    execFileSync(join(postgresBinaries ?? "", "createdb"), [
      `--maintenance-db=postgres://postgres@127.0.0.1:${server.port}/postgres`,
      "shared",
    ]);
    const driver = postgresDriver({ url: database });
    onTestFinished(() => driver.close());
    // Of the addresses for documentation, which are called by nobody: each attempt fails at once.
    const { askDueRefunds, paymentId } = await shareDatabase(driver, "https://192.0.2.1/");
    await askDueRefunds(REFUNDS);
    const env = {
      COUNTERSIGN_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, "k1").toString("base64")}`,
      COUNTERSIGN_DATABASE_URL: database,
    };
    const all = await Promise.all([1, 2, 3].map(() => serveHere(["serve", "--port", "0"], env)));
    const left = (): Promise<unknown[]> =>
      driver.query(`SELECT id FROM payments WHERE direction = 'CREDIT' AND status = 'PENDING'
        UNION ALL SELECT d.id FROM deliveries d LEFT JOIN attempts a ON a.delivery_id = d.id
          WHERE a.number IS NULL LIMIT 1`);
    await expect.poll(left, { timeout: 20_000, interval: 100 }).toEqual([]);
    expect(await Promise.all(all.map((one) => one.end()))).toEqual([0, 0, 0]);

    expect((await expectToldOnce(driver, paymentId)).size).toBe(REFUNDS);
    // An attempt that two processes had begun would have a number, and no record of its own.
    const doubled = await driver.query(
      `SELECT d.id, d.attempts FROM deliveries d JOIN attempts a ON a.delivery_id = d.id
        GROUP BY d.id, d.attempts HAVING count(*) <> d.attempts`,
    );
    expect(doubled).toEqual([]);
  }, 40_000);

  it.each([
    ["nobody listens", async () => `127.0.0.1:${await freePort()}/postgres`],
    ["there is no such database", async () => `127.0.0.1:${server.port}/nothing`],
  ])("cannot run where %s, with CS_CLI_DATABASE_UNUSABLE", async (_, place) => {
    const url = `postgres://postgres:hush@${await place()}`;
    const env = { ...keys, COUNTERSIGN_DATABASE_URL: url };
    const { status, out, err } = await ran(["serve", "--port", "0"], env);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain("countersign: CS_CLI_DATABASE_UNUSABLE: ");
    expect(err).not.toContain("hush");
  });

  it.each([
    [{ COUNTERSIGN_DATABASE_URL: "mysql://db/countersign" }],
    [{ COUNTERSIGN_DATABASE_URL: "no address, hush" }],
  ])("cannot run with %j, with CS_CLI_ENVIRONMENT_UNUSABLE", async (env) => {
    const { status, err } = await ran(["serve", "--port", "0"], env);
    expect(status).toBe(2);
    expect(err).toContain("countersign: CS_CLI_ENVIRONMENT_UNUSABLE: ");
    expect(err).not.toContain("hush");
  });
});
