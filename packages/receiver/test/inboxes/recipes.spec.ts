import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createReceiver } from "@countersign/receiver";
import {
  type PostgresDatabase,
  type PostgresInbox,
  postgresInbox,
} from "@countersign/receiver/postgres";
import { sql } from "drizzle-orm";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import createKnex, { type Knex } from "knex";
import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ciAfter } from "../../../../test/tags.ts";
import { NOON, silent } from "../fixtures.ts";
import { describePostgres } from "./describe-postgres.ts";
import { inboxChecks } from "./suite/checks.ts";
import { type Booking, send, transactionTests } from "./transaction-tests.ts";

// The recipes of docs/guides/transactions.md, as a reader copies them.
const page = readFileSync(
  new URL("../../../../docs/guides/transactions.md", import.meta.url),
  "utf8",
);
const code = /## Drizzle, Kysely, Knex[\s\S]*?```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
const folder = fileURLToPath(new URL("../output/docs/", import.meta.url));
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}recipes.ts`, code);
const recipes = (await import(`${folder}recipes.ts`)) as {
  fromDrizzle: (database: NodePgDatabase) => PostgresDatabase;
  fromKysely: (database: Kysely<never>) => PostgresDatabase;
  fromKnex: (database: Knex) => PostgresDatabase;
};

interface Library {
  readonly database: PostgresDatabase;
  /** Books an event by the library's own means. */
  readonly book: (client: never, id: string) => PromiseLike<unknown>;
  readonly end: () => Promise<unknown>;
}

const poolOf = (connectionString: string): Pool => new Pool({ connectionString, max: 4 });

const libraries: readonly (readonly [name: string, connect: (url: string) => Library])[] = [
  [
    "Drizzle",
    (url) => {
      const pool = poolOf(url);
      return {
        database: recipes.fromDrizzle(drizzle(pool)),
        book: (client: NodePgDatabase, id) =>
          client.execute(sql`INSERT INTO ledger VALUES (${id})`),
        end: () => pool.end(),
      };
    },
  ],
  [
    "Kysely",
    (url) => {
      const dialect = new PostgresDialect({ pool: poolOf(url) });
      const kysely = new Kysely<never>({ dialect });
      return {
        database: recipes.fromKysely(kysely),
        book: (client: Kysely<{ ledger: { event: string } }>, id) =>
          client.insertInto("ledger").values({ event: id }).execute(),
        end: () => kysely.destroy(),
      };
    },
  ],
  [
    "Knex",
    (url) => {
      const knex = createKnex({ client: "pg", connection: url, pool: { min: 0, max: 4 } });
      return {
        database: recipes.fromKnex(knex),
        book: (client: Knex, id) => client("ledger").insert({ event: id }),
        end: () => knex.destroy(),
      };
    },
  ],
];

describePostgres("a PostgreSQL inbox over a library", (server) => {
  for (const [index, [name, connect]] of libraries.entries())
    describe(`over ${name}`, { tags: ciAfter(1, index) }, () => {
      let library: Library;
      let inbox: PostgresInbox<unknown>;
      beforeAll(async () => {
        library = connect(server().urlOf(await server().create()));
        inbox = postgresInbox(library.database, { schema: "shop" });
        await inbox.migrate();
        await library.database.query("CREATE TABLE ledger (event text PRIMARY KEY)");
      });
      beforeEach(() => library.database.query("TRUNCATE ledger, shop.events"));
      afterAll(() => library.end());
      // The other parts use the same `query`: suite.spec.ts runs them over `pg`.
      it.each(inboxChecks(() => inbox, { parts: ["queue"] }))(
        "%s",
        { tags: "ci" },
        async (_name, run) => {
          await expect(run()).resolves.toBeUndefined();
        },
      );

      const clock = { now: NOON };
      const receiverOf = (handler: Booking, over = inbox) =>
        createReceiver({ ...silent, inbox: over, now: () => clock.now }).on(
          "PAYMENT",
          async (event, { transaction }) => {
            const client = (await transaction.client()) as never;
            await handler(event.id, (id) => library.book(client, id));
          },
        );
      const booked = async () =>
        (await library.database.query("SELECT event FROM ledger")).rows.map(
          (row) => (row as { readonly event: unknown }).event,
        );

      describe("a handler's writes", () => {
        transactionTests(() => ({ clock, booked, receiverOf }));

        it("[R-ACK-FAILED] fail the event when PostgreSQL rolls them back at COMMIT", async () => {
          const { database } = library;
          const failing: PostgresDatabase = {
            ...database,
            transaction: (work) =>
              database.transaction(async (transaction) => {
                const result = await work(transaction);
                // As a statement does that the handler has not awaited.
                await transaction.query("SELECT no_such_column").catch(() => undefined);
                return result;
              }),
          };
          const over = postgresInbox(failing, { schema: "shop" });
          const outcome = await send(receiverOf((id, book) => book(id), over));
          expect(outcome.kind).toBe("failed");
          expect(await booked()).toEqual([]);
          expect((await send(receiverOf((id, book) => book(id)))).kind).toMatch(
            /^(handled|in_progress)$/,
          );
        });
      });
    });
});
