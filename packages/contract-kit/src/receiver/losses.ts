import { sleep } from "../harness/clock.ts";
import type { KitSender, Sent } from "../harness/kit-sender.ts";
import type { CatalogueRow } from "../harness/provider-events.ts";
import type { Loss } from "../harness/receiver-target.ts";

/** Plain events of each round. */
const ALONE = 2;
const AT_ONCE = 6;
/** Clocks of seconds have moved on then. */
const LATER_MS = 1100;

interface Plain {
  readonly acknowledged: number;
  readonly lost: number;
}

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
  if (rows.length === 0) return undefined;
  const alone: Plain[] = [await sendPlain(kit, rows, ALONE, 1)];
  const together = await sendPlain(kit, rows, AT_ONCE, AT_ONCE);
  if (alone[0]?.lost === 0 && together.lost === 0) return undefined;
  await sleep(kit.target.sockets.clock, LATER_MS);
  alone.push(await sendPlain(kit, rows, ALONE, 1));
  const sum = (of: (one: Plain) => number): number => alone.reduce((all, one) => all + of(one), 0);
  const [lost, sent] = [sum((one) => one.lost), sum((one) => one.acknowledged)];
  const message = `plain events are acknowledged and lost: ${lost} of ${sent} that were sent one after the other, and ${together.lost} of ${together.acknowledged} at once`;
  const all = lost === sent && together.lost === together.acknowledged;
  return { requirement: lost > 0 ? "R-ONCE-DISTINCT" : "R-LOAD-SHED", message, all };
}

async function sendPlain(
  kit: KitSender,
  rows: readonly CatalogueRow[],
  ...[count, atOnce]: readonly [count: number, atOnce: number]
): Promise<Plain> {
  const attempts = Array.from({ length: count }, (_, index) =>
    kit.attempt({ row: rows[index % rows.length] }),
  );
  const sent = await kit.postAll(attempts, { atOnce });
  const accepted: readonly Sent[] = sent.filter(({ reply }) => reply.isAcknowledged);
  const seen = await kit.waitForEffects(accepted.map(({ event }) => event));
  const lost = accepted.filter(({ event }) => seen?.count(event) === 0);
  return { acknowledged: accepted.length, lost: lost.length };
}
