import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createReceiver } from "@countersign/receiver";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { attemptOf, NOON, refundAuthorized, secret } from "../fixtures.ts";

export interface Flood {
  /** Answered 202. */
  readonly accepted: number;
  /** Answered 503 with `Retry-After`. */
  readonly refused: number;
  /** Accepted and never handled: must be none. */
  readonly lost: readonly string[];
  /** What the process held after each tenth, in bytes, after a collection where one can be asked for. */
  readonly held: readonly number[];
}

/** Twenty times what a receiver stores at once, again and again, while workers handle what was stored. */
export async function flood({
  waves,
  atOnce = 256 * 20,
}: {
  readonly waves: number;
  readonly atOnce?: number;
}): Promise<Flood> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-flood-"));
  const inbox = sqliteInbox(join(folder, "inbox.db"));
  const open = new Set<string>();
  const receiver = createReceiver({
    secrets: [secret],
    fallback: () => undefined,
    inbox,
    acknowledge: "after-store",
    workers: { concurrency: 256, pollMs: 10 },
    now: () => NOON,
  }).on("PAYMENT", ({ id }) => void open.delete(id));
  const held: number[] = [];
  let [accepted, refused] = [0, 0];
  receiver.start();
  try {
    for (let wave = 0; wave < waves; wave += 1) {
      const one = async (index: number): Promise<void> => {
        const id = `evt_${String(wave)}_${String(index)}`;
        const event = refundAuthorized(id);
        // Before the answer: a worker may be sooner.
        open.add(id);
        const { outcome, response } = await receiver.answer(
          attemptOf({ ...event, data: { ...event.data, paymentId: `ref_${id}` } }),
        );
        if (response.status === 202) accepted += 1;
        else {
          open.delete(id);
          if (!("code" in outcome) || outcome.code !== "CS_RECEIVER_BUSY")
            throw new Error(`a flood is answered ${String(response.status)}`);
          refused += response.headers["retry-after"] === undefined ? 0 : 1;
        }
      };
      // oxlint-disable no-await-in-loop -- wave after wave
      await Promise.all(Array.from({ length: atOnce }, (_, index) => one(index)));
      if (wave % Math.max(1, Math.floor(waves / 10)) !== 0) continue;
      globalThis.gc?.();
      held.push(process.memoryUsage().rss);
      // oxlint-enable no-await-in-loop
    }
    const deadline = performance.now() + 60_000;
    while (open.size > 0 && performance.now() < deadline)
      // oxlint-disable-next-line no-await-in-loop -- a worker's turn
      await new Promise((resolve) => setImmediate(resolve));
    return { accepted, refused, lost: [...open], held };
  } finally {
    await receiver.stop();
    inbox.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
