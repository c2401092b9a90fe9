import { createReceiver } from "@countersign/receiver";
import { postgresInbox } from "@countersign/receiver/postgres";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inboxConformance } from "../../src/testing/inbox-conformance.ts";
import { attemptOf, NOON, refundAuthorized, secret } from "../fixtures.ts";
import { pgbouncerBinary, startPgbouncer } from "./pgbouncer-server.ts";
import { postgresBinaries, startPostgres, type TestServer } from "./postgres-server.ts";

const missing = [
  ...(postgresBinaries === undefined ? ["PostgreSQL"] : []),
  ...(pgbouncerBinary === undefined ? ["PgBouncer"] : []),
];
const reason = missing.length === 0 ? "" : ` (skipped: ${missing.join(" and ")} not installed)`;

describe.skipIf(missing.length > 0)(
  `the PostgreSQL inbox through PgBouncer in transaction mode${reason}`,
  () => {
    const servers: TestServer[] = [];
    let pool: Pool;
    let schemas = 0;
    beforeAll(async () => {
      const postgres = await startPostgres();
      servers.push(postgres);
      // Fewer servers than clients: a client that left something in a session would meet another's.
      const pgbouncer = await startPgbouncer(postgres, { connections: 3 });
      servers.unshift(pgbouncer);
      pool = new Pool({
        host: "127.0.0.1",
        port: pgbouncer.port,
        user: "postgres",
        database: "postgres",
        max: 8,
      });
    }, 60_000);
    afterAll(async () => {
      await pool.end();
      for (const server of servers) server.stop();
    });
    const open = async () => {
      const inbox = postgresInbox(pool, { schema: `inbox_${String((schemas += 1))}` });
      await inbox.migrate();
      return inbox;
    };

    it.each(inboxConformance({ open }))("$name", async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    });

    it("[R-ACK-FAILED] commits what a handler writes with its event, and leaves no time limit behind", async () => {
      await pool.query("CREATE TABLE booked (id text PRIMARY KEY)");
      const receiver = createReceiver({
        secrets: [secret],
        fallback: () => undefined,
        inbox: await open(),
        now: () => NOON,
      }).on("PAYMENT", async ({ id, data }, { transaction }) => {
        await transaction.query("INSERT INTO booked (id) VALUES ($1)", [id]);
        if (data.paymentId === "ref_fails") throw new Error("no");
      });
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, (_, index) => {
          const event = refundAuthorized(`evt_${String(index)}`);
          const paymentId = index % 4 === 0 ? "ref_fails" : `ref_${String(index)}`;
          const sent = attemptOf({ ...event, data: { ...event.data, paymentId } });
          // Attempts beyond the handlers at once are busy: they come again.
          const again = async (): Promise<string> => {
            const outcome = await receiver.receive(sent);
            if (outcome.kind !== "rejected") return outcome.kind;
            await new Promise((resolve) => setImmediate(resolve));
            return again();
          };
          return again();
        }),
      );
      expect(outcomes.filter((kind) => kind === "handled")).toHaveLength(30);
      expect(outcomes.filter((kind) => kind === "failed")).toHaveLength(10);
      const { rows } = await pool.query<{ count: string }>("SELECT count(*) FROM booked");
      expect(rows).toEqual([{ count: "30" }]);
      const limits = await Promise.all(
        Array.from({ length: 12 }, () =>
          pool.query<{ statement_timeout: string }>("SHOW statement_timeout"),
        ),
      );
      expect(new Set(limits.map((shown) => shown.rows[0]?.statement_timeout))).toEqual(
        new Set(["0"]),
      );
    });
  },
);
