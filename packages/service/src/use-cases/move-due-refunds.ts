import { onTime } from "@countersign/rules";
import { StoreUnavailableError, type Queryable } from "../store/driver.ts";
import { listDueRefunds, lockDueRefund, type DuePlace } from "../store/tables/refunds.ts";
import { changeRefund } from "./change-refund.ts";
import type { Context } from "./context.ts";

/** Refunds of one transaction: bounds how long requests wait behind it. */
const BATCH = 200;

/** A due refund that could not be moved. It stays PENDING and due. */
export interface PassedOverRefund {
  readonly id: string;
  /** Why: a fault of this program or of the row. */
  readonly error: unknown;
}

export interface MovedRefunds {
  /** How many refunds moved. */
  readonly moved: number;
  readonly passedOver: readonly PassedOverRefund[];
}

/**
 * Moves every PENDING refund of a clock that is due by `now` to AUTHORIZED, each with its event
 * (S 3.1, "passage of time"). Idempotent: what has moved is due no more. One that cannot be moved is
 * passed over, without an event; the others of its batch move.
 *
 * @param now Instant of that clock, in milliseconds; the events are of this time.
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: the batch under way is not stored, earlier
 *   ones are.
 */
export async function moveDueRefunds(
  context: Context,
  { now, clockId }: { now: number; clockId: string },
): Promise<MovedRefunds> {
  let moved = 0;
  const passedOver: PassedOverRefund[] = [];
  let after: DuePlace | undefined;
  for (;;) {
    const due = await listDueRefunds(context.driver, { clockId, now, after, limit: BATCH });
    after = due.at(-1);
    if (after === undefined) return { moved, passedOver };
    const batch = await moveBatch(context, due, now);
    if (batch.moved > 0) context.onWork();
    moved += batch.moved;
    passedOver.push(...batch.passedOver);
  }
}

/** Moves refunds in one transaction, or, where one of them takes it back, each in its own. */
async function moveBatch(
  context: Context,
  due: readonly DuePlace[],
  now: number,
): Promise<MovedRefunds> {
  try {
    return await context.driver.transaction((tx) => moveAll(tx, context, { due, now }));
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    const [only, ...others] = due;
    if (only !== undefined && others.length === 0) {
      return { moved: 0, passedOver: [{ id: only.id, error }] };
    }
    const alone = await Promise.all(due.map((one) => moveBatch(context, [one], now)));
    return {
      moved: alone.reduce((sum, one) => sum + one.moved, 0),
      passedOver: alone.flatMap((one) => one.passedOver),
    };
  }
}

async function moveAll(
  tx: Queryable,
  context: Context,
  { due, now }: { due: readonly DuePlace[]; now: number },
): Promise<MovedRefunds> {
  let moved = 0;
  const passedOver: PassedOverRefund[] = [];
  for (const { id } of due) {
    const record = await lockDueRefund(tx, { id, now });
    if (record === undefined) continue;
    const change = (refund: Parameters<typeof onTime>[0]) => onTime(refund, now);
    if (await changeRefund(tx, context, { record, change, at: now })) moved += 1;
    else passedOver.push({ id, error: new Error(`refund ${id} is due and ${record.status}`) });
  }
  return { moved, passedOver };
}
