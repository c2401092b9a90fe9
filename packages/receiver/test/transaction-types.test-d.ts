import { createReceiver, type HandlerContext, memoryInbox } from "@countersign/receiver";
import {
  type PostgresClient,
  postgresInbox,
  type PostgresTransaction,
} from "@countersign/receiver/postgres";
import { sqliteInbox, type SqliteTransaction } from "@countersign/receiver/sqlite";
import type { Refund } from "@countersign/schemas";
import { Pool } from "pg";
import { expectTypeOf, test } from "vitest";

const secrets = ["whsec_"];

test("a handler's context has the transaction of its inbox", () => {
  const sqlite = (): unknown =>
    createReceiver({
      secrets,
      inbox: sqliteInbox("inbox.db"),
      fallback: (_event, context) => {
        expectTypeOf(context.transaction).toEqualTypeOf<SqliteTransaction>();
      },
    }).on("refund.authorized", (event, { transaction }) => {
      expectTypeOf(event.data).toExtend<Refund>();
      expectTypeOf(transaction).toEqualTypeOf<SqliteTransaction>();
    });
  const postgres = (): unknown =>
    createReceiver({
      secrets,
      inbox: postgresInbox(new Pool(), { schema: "shop" }),
      fallback: () => undefined,
    }).on("PAYMENT", async (event, { transaction }) => {
      expectTypeOf(transaction).toEqualTypeOf<PostgresTransaction<PostgresClient>>();
      const { rows } = await transaction.query<{ n: number }>("SELECT $1 AS n", [event.id]);
      expectTypeOf(rows).toEqualTypeOf<{ n: number }[]>();
    });
  expectTypeOf(sqlite).toBeFunction();
  expectTypeOf(postgres).toBeFunction();
});

test("there is none with an inbox that has none", () => {
  const memory = (): unknown =>
    createReceiver({ secrets, inbox: memoryInbox(), fallback: () => undefined }).on(
      "refund.authorized",
      (_event, context) => {
        expectTypeOf(context).toEqualTypeOf<HandlerContext>();
        // @ts-expect-error no transaction in memory
        expectTypeOf(context.transaction).toBeUnknown();
      },
    );
  const byDefault = (): unknown =>
    createReceiver({ secrets, fallback: () => undefined }).on("PAYMENT", (_event, context) => {
      expectTypeOf(context).toEqualTypeOf<HandlerContext>();
    });
  expectTypeOf(memory).toBeFunction();
  expectTypeOf(byDefault).toBeFunction();
});
