import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createReceiver, type Inbox } from "@countersign/receiver";
import { postgresInbox } from "@countersign/receiver/postgres";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { Pool } from "pg";
import { expect, test } from "vitest";
import { attemptOf, refundAuthorized, silent } from "../fixtures.ts";
import { postgresBinaries, startPostgres } from "../inboxes/servers.ts";

const ROUNDS = 3;
// Drained events a second on an idle machine with two cores.
const GOALS = { sqlite: 3000, postgres: 2000, ordered: 500 };

/** Returns the events a second that workers with a no-op handler drain from a backlog, the best of some rounds. */
async function drained(inbox: Inbox, events: number, resource?: string): Promise<number> {
  let best = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    let left = events;
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const receiver = createReceiver({
      ...silent,
      inbox,
      acknowledge: "after-store",
      order: resource === undefined ? "none" : "per-resource",
    }).on("PAYMENT", () => {
      left -= 1;
      if (left === 0) resolve();
    });
    const send = async (_: unknown, index: number): Promise<void> => {
      const event = refundAuthorized(`${resource ?? "free"}_${String(round)}_${String(index)}`);
      const data = { ...event.data, paymentId: resource ?? event.id };
      const sent = { ...event, data, metadata: { note: "x".repeat(700) } };
      const { kind } = await receiver.receive(attemptOf(sent));
      if (kind !== "stored") throw new Error(`it is ${kind}`);
    };
    await Promise.all(Array.from({ length: events }, send));
    const startedAt = performance.now();
    receiver.start();
    await done;
    await receiver.stop();
    best = Math.max(best, Math.round((events * 1000) / (performance.now() - startedAt)));
  }
  return best;
}

/** Prints the rate of events without an order, each on its own resource, and of those of one resource. */
async function report(name: string, inbox: Inbox, goal: number): Promise<void> {
  const free = await drained(inbox, 5000);
  const ordered = await drained(inbox, 2000, "ref_one");
  console.table({ [name]: { free, goal, ordered, "goal of ordered": GOALS.ordered } });
}

test("after-store: workers drain a backlog in SQLite with a no-op handler", async () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const inbox = sqliteInbox(join(folder, "inbox.db"));
  await expect(report("SQLite, FULL", inbox, GOALS.sqlite)).resolves.toBeUndefined();
  inbox.close();
  rmSync(folder, { recursive: true, force: true });
});

test.skipIf(postgresBinaries === undefined)(
  "after-store: workers drain a backlog in a PostgreSQL that flushes each commit",
  async () => {
    const server = await startPostgres();
    const pool = new Pool({ host: "127.0.0.1", port: server.port, user: "postgres", max: 20 });
    const inbox = postgresInbox(pool, { schema: "bench" });
    await inbox.migrate();
    await expect(report("PostgreSQL", inbox, GOALS.postgres)).resolves.toBeUndefined();
    await pool.end();
    server.stop();
  },
);
