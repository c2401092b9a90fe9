import { decide, type ReservationErrorCode, type Debit } from "@countersign/rules";
import { newId } from "../random.ts";
import { orUndone, Undo, type Queryable } from "../store/driver.ts";
import { instantOf } from "../store/tables/clocks.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import {
  findPaymentByKey,
  insertPayment,
  lockPayment,
  type PaymentRecord,
  type RefundRecord,
  type RefundStatus,
  type DebitRecord,
} from "../store/tables/payments.ts";
import { reserve } from "../store/tables/refunds.ts";
import type { Context, Refusal } from "./context.ts";
import { newRefundEvent, refundColumns } from "./refunds.ts";
import { writeEvent } from "./write-event.ts";

/** A validated refund request (S 4.1). */
export interface RefundOrder {
  readonly paymentId: string;
  readonly amountCents: bigint;
  readonly requestKey: string;
  readonly clientReferenceId: string | null;
  readonly softDescriptor: string | null;
}

/** The refund that has the `requestKey`. */
export interface ExistingRefund {
  readonly paymentId: string;
  readonly paymentStatus: RefundStatus;
  /** True if payment, amount and soft descriptor of both calls are equal. */
  readonly sameRequest: boolean;
}

export type AskRefundOutcome =
  | { readonly ok: true; readonly refund: RefundRecord }
  /** `existing` is absent if the record is a debit, or if the profile does not reveal it. */
  | (Refusal<"DUPLICATE_REQUEST_KEY"> & { readonly existing?: ExistingRefund })
  | Refusal<"PAYMENT_NOT_FOUND" | "PAYMENT_NOT_REFUNDABLE" | ReservationErrorCode>;

/**
 * Creates a refund of a payment (S 4.1). Checks the key, then the payment, then its state. A refund that
 * is `TERMINAL_FAILED` because its debit failed is a record and keeps its key; a refusal leaves the key
 * free. Record, reservation and event are written in one transaction.
 */
export async function askRefund(
  context: Context,
  merchant: Merchant,
  order: RefundOrder,
): Promise<AskRefundOutcome> {
  return orUndone(context.driver.transaction((tx) => decideAndWrite(tx, context, merchant, order)));
}

async function decideAndWrite(
  tx: Queryable,
  context: Context,
  merchant: Merchant,
  order: RefundOrder,
): Promise<AskRefundOutcome> {
  const merchantId = merchant.id;
  const { paymentId, amountCents, requestKey, clientReferenceId, softDescriptor } = order;
  const sameKey = { merchantId, requestKey };
  const holder = await findPaymentByKey(tx, sameKey);
  if (holder !== undefined) return duplicate(context, order, holder);

  const original = await lockPayment(tx, { merchantId, id: paymentId });
  if (original === undefined) return { ok: false, code: "PAYMENT_NOT_FOUND" };
  if (original.direction !== "DEBIT") return { ok: false, code: "PAYMENT_NOT_REFUNDABLE" };

  const now = await instantOf(tx, context.clock, merchant.clockId);
  const decision = decide({
    debit: debitState(original),
    amountCents: original.amountCents,
    reservedCents: original.reservedCents,
    askedCents: amountCents,
    now,
    hold: context.policy.hold,
  });
  if (!decision.ok) return decision;

  const refund: RefundRecord = {
    id: newId(context.random, "ref"),
    merchantId,
    clockId: merchant.clockId,
    customerId: original.customerId,
    direction: "CREDIT",
    originalId: original.id,
    amountCents,
    requestKey,
    clientReferenceId,
    softDescriptor,
    ...refundColumns(decision.refund),
    createdAt: now,
  };
  // Both statements are safe at any isolation level: each checks its own condition.
  const reservation = { merchantId, id: original.id, cents: amountCents };
  if (refund.status !== "TERMINAL_FAILED" && !(await reserve(tx, reservation)))
    return { ok: false, code: "REFUND_AMOUNT_EXCEEDS_REMAINING" };
  if (!(await insertPayment(tx, refund))) {
    const winner = await findPaymentByKey(tx, sameKey);
    throw new Undo<AskRefundOutcome>(duplicate(context, order, winner));
  }
  await writeEvent(tx, context, merchant, newRefundEvent(refund, now));
  return { ok: true, refund };
}

function duplicate(
  context: Context,
  order: RefundOrder,
  holder: PaymentRecord | undefined,
): AskRefundOutcome {
  const taken = { ok: false, code: "DUPLICATE_REQUEST_KEY" } as const;
  const isSilent = context.policy.refund.duplicate === "reject";
  if (isSilent || holder?.direction !== "CREDIT") return taken;
  const sameRequest =
    holder.originalId === order.paymentId &&
    holder.amountCents === order.amountCents &&
    holder.softDescriptor === order.softDescriptor;
  const existing = { paymentId: holder.id, paymentStatus: holder.status, sameRequest };
  return { ...taken, existing };
}

/** Returns a debit's state for the rules of S 3.1. Cover counts at any age, even after settlement. */
function debitState(debit: DebitRecord): Debit {
  const { covered, status, settledAt } = debit;
  if (covered) return { state: "covered" };
  if (status === "TERMINAL_FAILED" || status === "CANCELED") return { state: "failed" };
  if (status !== "SUCCEEDED") return { state: "processing" };
  if (settledAt === null) throw new Error(`${debit.id} has no settlement time`);
  return { state: "settled", settledAt };
}
