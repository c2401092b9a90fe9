import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createReceiver } from "@countersign/receiver";
import { type PostgresDatabase, postgresInbox } from "@countersign/receiver/postgres";
import { PrismaPg } from "@prisma/adapter-pg";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { root } from "../../scripts/packages.ts";
import { NOON, silent } from "../../packages/receiver/test/fixtures.ts";
import { describePostgres } from "../../packages/receiver/test/inboxes/describe-postgres.ts";
import {
  type Ledger,
  transactionTests,
} from "../../packages/receiver/test/inboxes/transaction-tests.ts";
import { run } from "../packages/packed.ts";

// The recipe of docs/guides/transactions.md, as a reader copies it, with a client as Prisma generates it.
const output = join(root, "test/long/output/prisma");

/** The part of the generated client that is used here. */
interface Client {
  $queryRawUnsafe: <Rows>(text: string, ...values: unknown[]) => Promise<Rows>;
  $transaction: <T>(work: (client: Client) => Promise<T>, limit: { timeout: number }) => Promise<T>;
  $disconnect: () => Promise<void>;
  readonly ledger: {
    create: (row: { readonly data: { readonly event: string } }) => PromiseLike<unknown>;
    findMany: () => PromiseLike<readonly { readonly event: string }[]>;
    deleteMany: () => PromiseLike<unknown>;
  };
}

describePostgres("a PostgreSQL inbox over Prisma", (server) => {
  let prisma: Client;
  let ledger: Ledger;

  beforeAll(async () => {
    // Its engine for migrations would be downloaded; the client needs none.
    run(
      "pnpm",
      ["exec", "prisma", "generate", "--schema", "prisma/schema.prisma"],
      import.meta.dirname,
      {
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        CHECKPOINT_DISABLE: "1",
      },
    );
    const page = readFileSync(join(root, "docs/guides/transactions.md"), "utf8");
    const code = /## Prisma[\s\S]*?```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
    mkdirSync(output, { recursive: true });
    writeFileSync(join(output, "recipe.ts"), code);
    const { fromPrisma } = (await import(join(output, "recipe.ts"))) as {
      fromPrisma: (database: Client) => PostgresDatabase<Client>;
    };
    const { PrismaClient } = (await import(join(output, "client.ts"))) as {
      PrismaClient: new (options: object) => Client;
    };

    const connectionString = server().urlOf(await server().create());
    prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString }) });
    const inbox = postgresInbox(fromPrisma(prisma), { schema: "shop" });
    await inbox.migrate();
    await prisma.$queryRawUnsafe("CREATE TABLE ledger (event text PRIMARY KEY)");
    const clock = { now: NOON };
    ledger = {
      clock,
      booked: async () => (await prisma.ledger.findMany()).map(({ event }) => event),
      receiverOf: (handler) =>
        createReceiver({ ...silent, inbox, now: () => clock.now }).on(
          "PAYMENT",
          async (event, { transaction }) => {
            const client = await transaction.client();
            await handler(event.id, (id) => client.ledger.create({ data: { event: id } }));
          },
        ),
    };
  }, 120_000);
  beforeEach(async () => {
    await prisma.$queryRawUnsafe("TRUNCATE ledger, shop.events");
  });
  afterAll(() => prisma.$disconnect());

  transactionTests(() => ledger);
});
