import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createReceiver, type Inbox } from "@countersign/receiver";
import { postgresInbox } from "@countersign/receiver/postgres";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { Pool } from "pg";
import { attemptOf, NOON, refundAuthorized, secret } from "../fixtures.ts";
import { postgresBinaries, startPostgres } from "../inboxes/servers.ts";

// Run by the benchmark in its own Node: the rate at which workers with a no-op handler drain a backlog.

const EVENTS = Number(process.argv[2] ?? 5000);
const ORDERED_EVENTS = Number(process.argv[3] ?? 2000);
const ROUNDS = 3;

interface Store {
  readonly name: string;
  readonly inbox: Inbox;
  readonly close: () => unknown;
}

function sqlite(): Store {
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const inbox = sqliteInbox(join(folder, "inbox.db"));
  const close = (): void => {
    inbox.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { name: "SQLite, FULL", inbox, close };
}

/** Starts a separate server that flushes each commit. */
async function postgres(): Promise<Store> {
  const server = await startPostgres();
  const pool = new Pool({ host: "127.0.0.1", port: server.port, user: "postgres", max: 20 });
  const inbox = postgresInbox(pool, { schema: "bench" });
  await inbox.migrate();
  const close = async (): Promise<void> => {
    await pool.end();
    server.stop();
  };
  return { name: "PostgreSQL", inbox, close };
}

/** @returns Drained events a second, the best of some rounds. */
async function drained(
  { inbox }: Store,
  { events, resource }: { readonly events: number; readonly resource?: string },
): Promise<number> {
  let best = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    let left = events;
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const receiver = createReceiver({
      secrets: [secret],
      fallback: () => undefined,
      inbox,
      acknowledge: "after-store",
      order: resource === undefined ? "none" : "per-resource",
      now: () => NOON,
      log: false,
    }).on("PAYMENT", () => {
      left -= 1;
      if (left === 0) resolve();
    });
    const ids = Array.from(
      { length: events },
      (_, n) => `${resource ?? "free"}_${String(round)}_${String(n)}`,
    );
    // oxlint-disable-next-line no-await-in-loop -- one round after the other
    await Promise.all(
      ids.map(async (id) => {
        const event = refundAuthorized(id);
        const data = { ...event.data, paymentId: resource ?? id };
        const { kind } = await receiver.receive(
          attemptOf({ ...event, data, metadata: { note: "x".repeat(700) } }),
        );
        if (kind !== "stored") throw new Error(`it is ${kind}`);
      }),
    );
    const startedAt = performance.now();
    receiver.start();
    // oxlint-disable-next-line no-await-in-loop
    await done;
    // oxlint-disable-next-line no-await-in-loop
    await receiver.stop();
    best = Math.max(best, (events * 1000) / (performance.now() - startedAt));
  }
  return best;
}

const stores = [sqlite(), ...(postgresBinaries === undefined ? [] : [await postgres()])];
const figures: object[] = [];
for (const store of stores) {
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  const free = await drained(store, { events: EVENTS });
  // oxlint-disable-next-line no-await-in-loop
  const ordered = await drained(store, {
    events: ORDERED_EVENTS,
    resource: "ref_one",
  });
  figures.push({ name: store.name, free, ordered });
  // oxlint-disable-next-line no-await-in-loop
  await store.close();
}
console.log(JSON.stringify(figures));
