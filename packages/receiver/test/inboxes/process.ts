// One of several processes over one store: claims or takes every event it can, writes each one's id to
// standard output, and completes it.
import { type Inbox, type InboxQueue } from "@countersign/receiver";
import { postgresInbox } from "@countersign/receiver/postgres";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { Pool } from "pg";

const [kind, place = "", mode, countText] = process.argv.slice(2);
const count = Number(countText);
const leaseMs = 60_000;

async function main(inbox: Inbox & { readonly queue: InboxQueue }): Promise<void> {
  const handled: string[] = [];
  if (mode === "claim") {
    const ids = Array.from({ length: count }, (_, index) => `evt_${String(index)}`);
    await Promise.all(
      ids.map(async (id) => {
        const key = { tenant: "", id };
        const claim = await inbox.claim({ key, digest: "d", type: "t", leaseMs, now: 0 });
        if (claim.state !== "claimed") return;
        handled.push(id);
        if (!(await inbox.complete({ key, token: claim.token, now: 0 }))) throw new Error("lost");
      }),
    );
  } else {
    for (let empty = 0; empty < 3;) {
      const events = await inbox.queue.take({ limit: 8, leaseMs, now: 10, maxAttempts: 3 });
      empty = events.length === 0 ? empty + 1 : 0;
      for (const { key, token } of events) {
        handled.push(key.id);
        if (!(await inbox.complete({ key, token, now: 10 }))) throw new Error("lost");
      }
    }
  }
  process.stdout.write(JSON.stringify(handled));
}

if (kind === "sqlite") {
  const inbox = sqliteInbox(place);
  await main(inbox);
  inbox.close();
} else {
  const pool = new Pool({ connectionString: place, max: 4 });
  await main(postgresInbox(pool, { schema: "shop" }));
  await pool.end();
}
