import { postgresInbox, postgresMigrations } from "@countersign/receiver/postgres";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inboxConformance } from "../../src/testing/inbox-conformance.ts";
import { postgresBinaries } from "./postgres-server.ts";
import { type SharedPostgres, sharedPostgres } from "./shared-postgres.ts";

const reason = postgresBinaries === undefined ? " (skipped: PostgreSQL is not installed)" : "";

describe.skipIf(postgresBinaries === undefined)(`the PostgreSQL inbox${reason}`, () => {
  let server: SharedPostgres;
  let pool: Pool;
  let schemas = 0;
  beforeAll(async () => {
    server = await sharedPostgres();
    pool = new Pool({ connectionString: server.urlOf(await server.create()), max: 4 });
  }, 60_000);
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });
  const open = async () => {
    const inbox = postgresInbox(pool, { schema: `inbox_${String((schemas += 1))}` });
    await inbox.migrate();
    return inbox;
  };

  it.each(inboxConformance({ open }))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  it("is migrated once, however many processes ask for it", async () => {
    const inbox = postgresInbox(pool, { schema: "migrated" });
    await Promise.all([inbox.migrate(), inbox.migrate(), inbox.migrate()]);
    const { rows } = await pool.query<{ number: number }>("SELECT number FROM migrated.migrations");
    expect(rows.map(({ number }) => number)).toEqual([1]);
  });

  it("is migrated by its printed SQL too", async () => {
    for (const { sql } of postgresMigrations("printed")) await pool.query(sql);
    const inbox = postgresInbox(pool, { schema: "printed" });
    await inbox.migrate();
    expect(await inbox.purge?.({ before: 0, limit: 1 })).toBe(0);
  });

  it("takes an event whose type holds what PostgreSQL's text does not", async () => {
    const inbox = await open();
    const request = { digest: "d", leaseMs: 1, now: 0 };
    const claims = await Promise.all([
      inbox.claim({ ...request, key: { tenant: "", id: "nul" }, type: "a\0b" }),
      inbox.claim({ ...request, key: { tenant: "", id: "other" }, type: "b" }),
    ]);
    expect(claims.map(({ state }) => state)).toEqual(["claimed", "claimed"]);
  });

  it("does not fail an event for its neighbour in the same statement", async () => {
    const inbox = await open();
    const request = { digest: "d", leaseMs: 1, now: 0, type: "b" };
    const claims = await Promise.allSettled([
      inbox.claim({ ...request, key: { tenant: "a\0b", id: "1" } }),
      inbox.claim({ ...request, key: { tenant: "", id: "2" } }),
    ]);
    expect(claims.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  });
});

describe("postgresInbox", () => {
  const pool = {
    query: () => Promise.reject(new Error()),
    connect: () => Promise.reject(new Error()),
  };

  it.each([
    ["no pool", undefined, {}, /a pool/],
    ["a pool of one connection", { ...pool, options: { max: 1 } }, {}, /2 connections/],
    ["a schema that is no plain name", pool, { schema: 'a"; DROP' }, /"schema"/],
  ])("refuses %s", (_what, given, options, message) => {
    // As plain JavaScript may call it.
    expect(() => postgresInbox(given as never, options)).toThrow(TypeError);
    expect(() => postgresInbox(given as never, options)).toThrow(message);
  });
});
