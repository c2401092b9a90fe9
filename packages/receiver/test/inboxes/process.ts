// One of several processes over one SQLite file: claims or takes every event it can, completes each, and writes
// their ids to standard output.
import { sqliteInbox } from "@countersign/receiver/sqlite";

const [path = "", mode, countText] = process.argv.slice(2);
const inbox = sqliteInbox(path);
const leaseMs = 60_000;
const handled: string[] = [];

async function complete(id: string, token: number): Promise<void> {
  handled.push(id);
  if (!(await inbox.complete({ key: { tenant: "", id }, token, now: 10 }))) throw new Error("lost");
}

async function claim(id: string): Promise<void> {
  const event = { key: { tenant: "", id }, digest: "d", type: "t" };
  const result = await inbox.claim({ ...event, leaseMs, now: 0 });
  if (result.state === "claimed") await complete(id, result.token);
}

if (mode === "claim")
  await Promise.all(
    Array.from({ length: Number(countText) }, (_, index) => claim(`evt_${String(index)}`)),
  );
else
  for (let empty = 0; empty < 3;) {
    const events = await inbox.queue.take({ limit: 8, leaseMs, now: 10, maxAttempts: 3 });
    empty = events.length === 0 ? empty + 1 : 0;
    for (const { key, token } of events) await complete(key.id, token);
  }
process.stdout.write(JSON.stringify(handled));
inbox.close();
