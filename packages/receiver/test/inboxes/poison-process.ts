// A worker's process whose handler of the event "evt_poison" kills it, together with everything in flight. It ends by
// itself once no stored event is left.
import { createReceiver } from "@countersign/receiver";
import { reference } from "@countersign/receiver/providers";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { setImmediate, setTimeout as delay } from "node:timers/promises";

const inbox = sqliteInbox(process.argv[2] ?? "");
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
