import type { Refund } from "@countersign/rules";
import type { EventKind } from "../policy.ts";
import type { Queryable } from "../store/driver.ts";
import { release } from "../store/tables/refunds.ts";
import { updatePayment, type RefundRecord, type RefundStatus } from "../store/tables/payments.ts";
import type { Context } from "./context.ts";
import { refundResource } from "./resources/refund-resource.ts";
import { writeEvent, type NewEvent } from "./write-event.ts";

/** A refund's state in the columns of its record. */
export type RefundColumns = Pick<RefundRecord, "status" | "dueAt" | "errorCode" | "errorMessage">;

export function refundColumns(refund: Refund): RefundColumns {
  const { errorCode = null, errorMessage = null } =
    refund.status === "TERMINAL_FAILED" ? refund.errorDetails : {};
  const dueAt = refund.status === "PENDING" ? (refund.eligibleAt ?? null) : null;
  return { status: refund.status, dueAt, errorCode, errorMessage };
}

/** The event of the state that a refund has entered (S 3.1). */
export function newRefundEvent(refund: RefundRecord, at: number): NewEvent {
  return {
    kind: kindOf(refund.status),
    data: refundResource(refund),
    at,
  };
}

function kindOf(status: RefundStatus): EventKind {
  switch (status) {
    case "PENDING":
      return "refund.pending";
    case "AUTHORIZED":
      return "refund.authorized";
    case "TERMINAL_FAILED":
      return "refund.failed";
    default:
      return status satisfies never;
  }
}

/**
 * Moves a locked refund by one of the rules: writes its new state, gives its amount back to the debit
 * where it failed, and writes the event of the state that it entered, all in the caller's transaction.
 *
 * @param change Returns its argument where nothing changes.
 * @param at Instant of the refund's clock, in milliseconds.
 * @returns Whether the refund entered another state.
 */
export async function changeRefund(
  tx: Queryable,
  context: Context,
  { record, change, at }: { record: RefundRecord; change: (refund: Refund) => Refund; at: number },
): Promise<boolean> {
  const before = refundState(record);
  const after = change(before);
  if (after === before) return false;
  const changed = { ...record, ...refundColumns(after) };
  await updatePayment(tx, record, changed);
  if (after.status === before.status) return false;

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

function refundState({ id, status, dueAt, errorCode, errorMessage }: RefundRecord): Refund {
  switch (status) {
    case "PENDING":
      return { status, eligibleAt: dueAt ?? undefined };
    case "AUTHORIZED":
      return { status };
    case "TERMINAL_FAILED":
      if (errorCode === null || errorMessage === null) throw new Error(`${id} has no reason`);
      return { status, errorDetails: { errorCode, errorMessage } };
    default:
      return status satisfies never;
  }
}
