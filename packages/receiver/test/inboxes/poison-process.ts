// A worker's process whose handler of the event "evt_poison" kills it, together with everything in flight. It ends by
// itself once no stored event is left.
import { createReceiver, type Inbox, type InboxQueue } from "@countersign/receiver";
import { reference } from "@countersign/receiver/providers";
import { postgresInbox } from "@countersign/receiver/postgres";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { setImmediate, setTimeout as delay } from "node:timers/promises";
import { Pool } from "pg";

const [place = ""] = process.argv.slice(2);
const inbox: Inbox & { readonly queue: InboxQueue } = place.startsWith("postgres:")
  ? postgresInbox(new Pool({ connectionString: place }), { schema: "shop" })
  : sqliteInbox(place);
const receiver = createReceiver({
  provider: reference,
  secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  inbox,
  acknowledge: "after-store",
  limits: { answerMs: 1000 },
  lease: 1500,
  workers: { maxAttempts: 4, pollMs: 50, backoff: () => 50 },
  async fallback({ id }) {
    await setImmediate();
    if (id === "evt_poison") process.kill(process.pid, "SIGKILL");
    await delay(20);
  },
});
receiver.start();
while ((await inbox.queue.status({ dueBefore: 0 })).unhandled > 0) await delay(50);
await receiver.close();
process.exit();
