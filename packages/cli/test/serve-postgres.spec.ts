import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  freePort,
  postgresBinaries,
  startPostgres,
  type TestServer,
} from "../../receiver/test/inboxes/postgres-server.ts";
import { ran } from "./ran.ts";
import { start, temporaryFolder } from "./start-command.ts";

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
    const all = [1, 2, 3].map(() => start(["serve", "--port", "0"], { folder, env }));
    const urls = await Promise.all(all.map((one) => one.ready()));
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
