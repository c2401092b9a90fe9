import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  clients,
  postgresBinaries,
  redisBinary,
  sharedPostgres,
  startRedis,
} from "../../packages/receiver/test/inboxes/servers.ts";
import type { MerchantStore } from "./crash-points.ts";

const isInstalled = {
  sqlite: true,
  postgres: postgresBinaries !== undefined,
  redis: redisBinary !== undefined,
};
const kinds = [
  { kind: "sqlite", acknowledge: "after-handler" },
  { kind: "sqlite", acknowledge: "after-store" },
  { kind: "postgres", acknowledge: "after-handler" },
  { kind: "postgres", acknowledge: "after-store" },
  { kind: "redis", acknowledge: "after-handler" },
] as const;
/** The inboxes and the ways to acknowledge that a merchant is killed with, unless their servers are not installed. */
export const lanes = kinds.filter(({ kind }) => isInstalled[kind]);

interface Opened {
  readonly store: MerchantStore;
  /** Bookings of each payment; without a transaction, the number of calls outside. */
  readonly booked: () => Promise<ReadonlyMap<string, number>>;
  /** Crashes the store's server, if it has one, and starts it again with what it has on disk. */
  readonly restart?: () => Promise<void>;
  readonly close: () => unknown;
}

const COUNTS = "SELECT id, count(*) AS times FROM booked GROUP BY id";

/** No table has a key: a payment that is booked twice must be seen twice. */
const opens: Record<MerchantStore["kind"], (folder: string, outside: string) => Promise<Opened>> = {
  sqlite(folder) {
    const path = join(folder, "merchant.db");
    const made = new DatabaseSync(path);
    made.exec("PRAGMA journal_mode = WAL; CREATE TABLE booked (id TEXT NOT NULL)");
    made.close();
    const booked = (): ReadonlyMap<string, number> => {
      const database = new DatabaseSync(path, { timeout: 5000 });
      try {
        return timesOf(database.prepare(COUNTS).all());
      } finally {
        database.close();
      }
    };
    return Promise.resolve({
      store: { kind: "sqlite", path },
      booked: () => Promise.resolve(booked()),
      close: () => undefined,
    });
  },
  async postgres() {
    const server = await sharedPostgres();
    const database = await server.create();
    const pool = await clients.postgres(server.port, database);
    await pool.query("CREATE TABLE booked (id text NOT NULL)");
    return {
      store: { kind: "postgres", port: server.port, database },
      booked: async () => timesOf((await pool.query(COUNTS)).rows),
      close: async () => {
        await pool.end();
        await server.stop();
      },
    };
  },
  async redis(_folder, outside) {
    const server = await startRedis({ isDurable: true });
    const booked = () => Promise.resolve(new Map(Object.entries(countOf(linesOf(outside)))));
    const store = { kind: "redis", port: server.port } as const;
    return { store, booked, restart: () => server.crash(), close: () => server.stop() };
  },
};

/** A store for a merchant, and what is booked in it. */
export async function openBooks(kind: MerchantStore["kind"]) {
  const folder = mkdtempSync(join(tmpdir(), "countersign-chaos-"));
  const outside = join(folder, "outside.txt");
  const opened = await opens[kind](folder, outside);
  return {
    ...opened,
    outside,
    crashes: join(folder, "crashes.txt"),
    close: async () => {
      await opened.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
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
