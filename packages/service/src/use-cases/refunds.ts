import { onReturned, onTime, type Refund } from "@countersign/rules";
import type { EventKind } from "../profile/envelope.ts";
import { StoreUnavailableError, type Queryable } from "../store/driver.ts";
import { instantOf } from "../store/tables/clocks.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import {
  updatePayment,
  findPayment,
  lockPayment,
  type RefundRecord,
  type RefundStatus,
} from "../store/tables/payments.ts";
import { release, listDueRefunds, lockDueRefund, type DuePlace } from "../store/tables/refunds.ts";
import type { Context } from "./context.ts";
import { refundResource } from "./resources.ts";
import { writeEvent, type NewEvent } from "./write-event.ts";

/** The columns of a refund's state. */
export type RefundColumns = Pick<RefundRecord, "status" | "dueAt" | "errorCode" | "errorMessage">;

export function refundColumns(refund: Refund): RefundColumns {
  const { errorCode = null, errorMessage = null } =
    refund.status === "TERMINAL_FAILED" ? refund.errorDetails : {};
  const dueAt = refund.status === "PENDING" ? (refund.eligibleAt ?? null) : null;
  return { status: refund.status, dueAt, errorCode, errorMessage };
}

/** Returns the event of the status that a refund has entered (S 3.1). */
export function newRefundEvent(refund: RefundRecord, at: number): NewEvent {
  return {
    kind: KINDS[refund.status],
    data: refundResource(refund),
    at,
  };
}

const KINDS: Readonly<Record<RefundStatus, EventKind>> = {
  PENDING: "refund.pending",
  AUTHORIZED: "refund.authorized",
  TERMINAL_FAILED: "refund.failed",
};

/**
 * Applies a rule to a locked refund, in the caller's transaction: writes its new state and the event of its
 * new status, and releases its amount if it failed.
 *
 * @param change Returns its argument if nothing changes.
 * @param at Milliseconds of the refund's clock.
 * @returns True if the refund's status has changed.
 */
export async function changeRefund(
  tx: Queryable,
  context: Context,
  { record, change, at }: { record: RefundRecord; change: (refund: Refund) => Refund; at: number },
): Promise<boolean> {
  const { status, dueAt } = record;
  // Final (S 3.1).
  if (status === "TERMINAL_FAILED") return false;
  const before: Refund =
    status === "PENDING" ? { status, eligibleAt: dueAt ?? undefined } : { status };
  const after = change(before);
  if (after === before) return false;
  const changed = { ...record, ...refundColumns(after) };
  await updatePayment(tx, record, changed);
  if (after.status === status) return false;

  const { merchantId, originalId, amountCents } = record;
  if (after.status === "TERMINAL_FAILED") {
    await release(tx, { merchantId, id: originalId, cents: amountCents });
  }
  await writeEvent(
    tx,
    context,
    { id: merchantId, clockId: record.clockId },
    newRefundEvent(changed, at),
  );
  return true;
}

export type ReturnRefundOutcome =
  | { readonly ok: true }
  /** `INVALID_TRANSITION`: the refund is not AUTHORIZED. */
  | { readonly ok: false; readonly code: "PAYMENT_NOT_FOUND" | "INVALID_TRANSITION" };

/**
 * Records that the receiving bank returned a refund's money: AUTHORIZED becomes TERMINAL_FAILED with `REFUND_RETURNED`, and the amount can be refunded again.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function returnRefund(
  context: Context,
  merchant: Merchant,
  { paymentId }: { paymentId: string },
): Promise<ReturnRefundOutcome> {
  const named = { merchantId: merchant.id, id: paymentId };
  return context.driver.transaction<ReturnRefundOutcome>(async (tx) => {
    const unlocked = await findPayment(tx, named);
    // The debit first: see `lockPayment`.
    if (unlocked?.direction === "CREDIT")
      await lockPayment(tx, { merchantId: merchant.id, id: unlocked.originalId });
    const record = await lockPayment(tx, named);
    if (record?.direction !== "CREDIT") return { ok: false, code: "PAYMENT_NOT_FOUND" };
    const at = await instantOf(tx, context.clock, merchant.clockId);
    const returned = await changeRefund(tx, context, { record, change: onReturned, at });
    return returned ? { ok: true } : { ok: false, code: "INVALID_TRANSITION" };
  });
}

/** Refunds in one transaction; bounds how long requests wait for it. */
const BATCH = 200;

/** A due refund that could not be moved. It stays PENDING and due. */
export interface PassedOverRefund {
  readonly id: string;
  /** The reason: a bug, or an invalid row. */
  readonly error: unknown;
}

export interface MovedRefunds {
  /** Number of refunds that moved. */
  readonly moved: number;
  readonly passedOver: readonly PassedOverRefund[];
}

/**
 * Moves every PENDING refund of a clock that is due by `now` to AUTHORIZED, each with its event
 * (S 3.1, "passage of time"). Idempotent. A refund that cannot be moved is skipped without an event; the
 * others of its batch move.
 *
 * @param now Milliseconds of that clock; also the time of the events.
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: the current batch is not stored, earlier ones are.
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
    if (after === undefined) {
      context.onRefundsMoved(moved);
      return { moved, passedOver };
    }
    const batch = await moveBatch(context, due, now);
    moved += batch.moved;
    passedOver.push(...batch.passedOver);
  }
}

/** Moves refunds in one transaction; if one of them fails, each in a separate one. */
async function moveBatch(
  context: Context,
  due: readonly DuePlace[],
  now: number,
): Promise<MovedRefunds> {
  try {
    return await context.driver.transaction((tx) => moveAll(tx, context, { due, now }));
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    if (due.length === 1) return { moved: 0, passedOver: due.map(({ id }) => ({ id, error })) };
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
