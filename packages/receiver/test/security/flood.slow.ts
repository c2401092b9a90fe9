import { expect, it, onTestFinished } from "vitest";
import { attemptOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { sqliteInTest } from "../inboxes/in-test.ts";

const WAVES = 2000;
/** Twenty times what a receiver stores at once. */
const AT_ONCE = 256 * 20;

it(`A27: ${String(WAVES)} waves of twenty times what is stored at once lose no event and leak no memory`, async () => {
  const { receiver } = recordingReceiver({
    inbox: sqliteInTest(),
    acknowledge: "after-store",
    workers: { concurrency: 256, pollMs: 10 },
    onOutcome: () => undefined,
  });
  const unhandled = new Set<string>();
  receiver.on("refund.authorized", ({ id }) => void unhandled.delete(id)).start();
  onTestFinished(() => receiver.stop());
  const send = async (id: string): Promise<void> => {
    const event = refundAuthorized(id);
    // Before the answer: a worker may be sooner.
    unhandled.add(id);
    const { outcome, response } = await receiver.answer(
      attemptOf({ ...event, data: { ...event.data, paymentId: `ref_${id}` } }),
    );
    if (response.status === 202) return;
    unhandled.delete(id);
    expect(outcome).toMatchObject({ code: "CS_RECEIVER_BUSY" });
  };
  const sizes: number[] = [];
  for (let wave = 0; wave < WAVES; wave += 1) {
    const ids = Array.from({ length: AT_ONCE }, (_, n) => `evt_${String(wave)}_${String(n)}`);
    await Promise.all(ids.map(send));
    if (wave % (WAVES / 10) === 0) sizes.push(process.memoryUsage().rss);
  }
  await expect.poll(() => [...unhandled], { timeout: 60_000 }).toEqual([]);
  // The second half grows by less than a tenth.
  const half = sizes[Math.floor(sizes.length / 2)] ?? 0;
  expect(sizes.at(-1)).toBeLessThan(half * 1.1);
}, 3_600_000);
