// One of several processes over one SQLite file: takes every event it can, completes each, and writes their ids to
// standard output.
import { sqliteInbox } from "@countersign/receiver/sqlite";

const inbox = sqliteInbox(process.argv[2] ?? "");
const handled: string[] = [];
for (let empty = 0; empty < 3;) {
  const events = await inbox.queue.take({
    provider: "standard",
    limit: 8,
    leaseMs: 60_000,
    now: 10,
    maxAttempts: 3,
  });
  empty = events.length === 0 ? empty + 1 : 0;
  for (const { key, token } of events) {
    handled.push(key.id);
    if (!(await inbox.complete({ key, token, now: 10 }))) throw new Error("lost");
  }
}
process.stdout.write(JSON.stringify(handled));
inbox.close();
