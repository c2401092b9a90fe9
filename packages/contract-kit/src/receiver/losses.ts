import { sleep } from "../harness/clock.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import type { TestEvent } from "../harness/provider-events.ts";
import type { Loss } from "../harness/receiver-target.ts";

/** Plain events of a round, one after the other or at once. */
const ALONE = 2;
const AT_ONCE = 6;
/** Clocks of seconds have moved on then, and slow handlers have ended. */
const LATER_MS = 1100;

/**
 * Sends plain events in rounds: one after the other, some at once, and later again. If some of them are lost, no check
 * can blame what it sends for a loss.
 *
 * @param types Types whose handlers have run.
 * @returns `all` is true if none of them was handled.
 */
export async function findLoss(
  kit: KitSender,
  types: readonly string[],
): Promise<(Loss & { readonly all: boolean }) | undefined> {
  const rows = kit.events.rows.filter(({ type }) => types.includes(type));
  const accepted = async (count: number, atOnce: number): Promise<readonly TestEvent[]> => {
    const attempts = Array.from({ length: count }, (_, index) =>
      kit.attempt({ row: rows[index % rows.length] }),
    );
    const sent = await kit.postAll(attempts, { atOnce });
    return sent.flatMap(({ reply, event }) => (reply.isAcknowledged ? event : []));
  };
  const lostOf = async (events: readonly TestEvent[]): Promise<number> => {
    const seen = await kit.waitForEffects(events);
    return events.filter((event) => seen?.count(event) === 0).length;
  };
  if (rows.length === 0) return undefined;
  const alone = await accepted(ALONE, 1);
  const together = await accepted(AT_ONCE, AT_ONCE);
  if ((await lostOf([...alone, ...together])) === 0) return undefined;
  await sleep(kit.clock, LATER_MS);
  const events = [...alone, ...(await accepted(ALONE, 1))];
  const [lost, lostTogether] = [await lostOf(events), await lostOf(together)];
  if (lost + lostTogether === 0) return undefined;
  const message = `plain events are acknowledged and lost: ${lost} of ${events.length} that were sent one after the other, and ${lostTogether} of ${together.length} at once`;
  const all = lost === events.length && lostTogether === together.length;
  return { requirement: lost > 0 ? "R-ONCE-DISTINCT" : "R-LOAD-SHED", message, all };
}
