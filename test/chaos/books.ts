import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { clients } from "../../packages/receiver/test/inboxes/clients.ts";
import { sharedPostgres } from "../../packages/receiver/test/inboxes/shared-postgres.ts";
import { startRedis } from "../../packages/receiver/test/inboxes/redis-server.ts";
import type { MerchantStore } from "./crash-points.ts";

/** A store for a merchant, and what is booked in it. */
export interface Books {
  readonly store: MerchantStore;
  readonly outside: string;
  readonly crashes: string;
  /** How often each payment is booked; where nothing is booked in a transaction, how often it was called outside. */
  booked(): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

export async function openBooks(kind: MerchantStore["kind"]): Promise<Books> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-chaos-"));
  const outside = join(folder, "outside.txt");
  const files = { outside, crashes: join(folder, "crashes.txt") };
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const select = "SELECT id, count(*) AS times FROM booked GROUP BY id";
  switch (kind) {
    case "sqlite": {
      const path = join(folder, "merchant.db");
      const made = new DatabaseSync(path);
      // No key: a payment that is booked twice must be seen twice.
      made.exec("PRAGMA journal_mode = WAL; CREATE TABLE booked (id TEXT NOT NULL)");
      made.close();
      return {
        ...files,
        store: { kind, path },
        booked() {
          const database = new DatabaseSync(path, { timeout: 5000 });
          try {
            return Promise.resolve(timesOf(database.prepare(select).all()));
          } finally {
            database.close();
          }
        },
        close: () => Promise.resolve(remove()),
      };
    }
    case "postgres": {
      const server = await sharedPostgres();
      const database = await server.create();
      const pool = await clients.postgres(server.port, database);
      // No key: a payment that is booked twice must be seen twice.
      await pool.query("CREATE TABLE booked (id text NOT NULL)");
      return {
        ...files,
        store: { kind, port: server.port, database },
        booked: async () => timesOf((await pool.query(select)).rows),
        async close() {
          await pool.end();
          await server.stop();
          remove();
        },
      };
    }
    case "redis": {
      const server = await startRedis();
      return {
        ...files,
        store: { kind, port: server.port },
        booked: () => Promise.resolve(new Map(Object.entries(countOf(linesOf(outside))))),
        close() {
          server.stop();
          return Promise.resolve(remove());
        },
      };
    }
    default:
      return kind satisfies never;
  }
}

function timesOf(rows: readonly unknown[]): ReadonlyMap<string, number> {
  // The statement names these two.
  const counted = rows as readonly { readonly id: unknown; readonly times: unknown }[];
  return new Map(counted.map(({ id, times }) => [String(id), Number(times)]));
}

export const linesOf = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];

export function countOf(lines: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(lines, (line) => line)].map(([line, all]) => [line, all.length]),
  );
}
