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
import { reserve, listDueRefunds, lockDueRefund, type DuePlace } from "../store/tables/refunds.ts";
import type { Context, Refusal } from "./context.ts";
import { refundResource } from "./resources.ts";
import { writeEvent, type NewEvent } from "./write-event.ts";

export function refundColumns(
  refund: Refund,
): Pick<RefundRecord, "status" | "dueAt" | "errorCode" | "errorMessage"> {
  const { errorCode = null, errorMessage = null } =
    refund.status === "TERMINAL_FAILED" ? refund.errorDetails : {};
  const dueAt = refund.status === "PENDING" ? (refund.eligibleAt ?? null) : null;
  return { status: refund.status, dueAt, errorCode, errorMessage };
}

/** Returns the event of the status that a refund has entered (S 3.1). */
export function newRefundEvent(refund: RefundRecord, at: number): NewEvent {
  return { kind: KINDS[refund.status], data: refundResource(refund), at };
}

const KINDS: Readonly<Record<RefundStatus, EventKind>> = {
  PENDING: "refund.pending",
  AUTHORIZED: "refund.authorized",
  TERMINAL_FAILED: "refund.failed",
};

/**
 * Applies a rule to a locked refund: writes its new state and the event of its new status, and releases its amount if it
 * failed.
 *
 * @param change Returns its argument if nothing changes.
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
  if (after.status === "TERMINAL_FAILED")
    await reserve(tx, { merchantId, id: originalId, cents: -amountCents });
  const merchant = { id: merchantId, clockId: record.clockId };
  await writeEvent(tx, context, merchant, newRefundEvent(changed, at));
  return true;
}

/** `INVALID_TRANSITION`: the refund is not AUTHORIZED. */
export type ReturnRefundOutcome =
  | { readonly ok: true }
  | Refusal<"PAYMENT_NOT_FOUND" | "INVALID_TRANSITION">;

/** Records that the receiving bank returned an AUTHORIZED refund's money, which can then be refunded again. */
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

/** Refunds that are moved concurrently; bounds how long requests wait for them. */
const BATCH = 200;

/**
 * Moves every PENDING refund of a clock that is due by `now` to AUTHORIZED, each with its event, in its own transaction
 * (S 3.1, "passage of time"). Idempotent.
 *
 * @param now Milliseconds of that clock; also the time of the events.
 * @returns The number of refunds that moved.
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: some refunds are moved; the same call continues.
 * @throws {AggregateError} Some refunds could not be moved, by a bug or an invalid row. The others were.
 */
export async function moveDueRefunds(
  context: Context,
  { now, clockId }: { readonly now: number; readonly clockId: string },
): Promise<number> {
  let moved = 0;
  const failures: unknown[] = [];
  let after: DuePlace | undefined;
  for (;;) {
    const due = await listDueRefunds(context.driver, { clockId, now, after, limit: BATCH });
    after = due.at(-1);
    if (after === undefined) break;
    const moves = await Promise.allSettled(due.map(({ id }) => moveOne(context, id, now)));
    for (const move of moves) {
      if (move.status === "fulfilled") moved += move.value ? 1 : 0;
      else if (move.reason instanceof StoreUnavailableError) throw move.reason;
      else failures.push(move.reason);
    }
  }
  if (failures.length > 0) {
    const message = `${failures.length} due refunds cannot be moved: ${String(failures[0])}`;
    throw new AggregateError(failures, message);
  }
  return moved;
}

/** Returns false if the refund is not due any more, or another process is moving it. */
async function moveOne(context: Context, id: string, now: number): Promise<boolean> {
  return context.driver.transaction(async (tx) => {
    const record = await lockDueRefund(tx, { id, now });
    if (record === undefined) return false;
    const change = (refund: Refund): Refund => onTime(refund, now);
    if (await changeRefund(tx, context, { record, change, at: now })) return true;
    throw new Error(`refund ${id} is due and ${record.status}`);
  });
}
