import { onTime } from "@countersign/rules";
import { listDueRefunds } from "../store/operations/payments/list-due-refunds.ts";
import { changeRefund } from "./change-refund.ts";
import type { Context } from "./context.ts";

/** Refunds of one transaction: bounds how long requests wait behind it. */
const BATCH = 200;

/**
 * Moves every PENDING refund of a clock that is due by `now` to AUTHORIZED, each with its event
 * (S 3.1, "passage of time"). Idempotent: what has moved is due no more.
 *
 * @param now Instant of that clock, in milliseconds; the events are of this time.
 * @returns How many refunds moved.
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: the batch under way is not stored, earlier
 *   ones are.
 */
export async function moveDueRefunds(
  context: Context,
  { now, clockId }: { now: number; clockId: string },
): Promise<number> {
  let moved = 0;
  for (;;) {
    const { met, changed } = await context.driver.transaction(async (tx) => {
      const due = await listDueRefunds(tx, { clockId, now, limit: BATCH });
      let count = 0;
      for (const record of due) {
        const change = {
          record,
          change: (refund: Parameters<typeof onTime>[0]) => onTime(refund, now),
          at: now,
        };
        if (await changeRefund(tx, context, change)) count++;
      }
      return { met: due.length, changed: count };
    });
    if (changed > 0) context.onWork();
    moved += changed;
    if (met < BATCH) return moved;
  }
}
