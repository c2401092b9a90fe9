import { onSettled, onFailed, type Refund } from "@countersign/rules";
import { newId } from "../random.ts";
import type { EventKind } from "../profile/envelope.ts";
import { instantOf } from "../store/tables/clocks.ts";
import { findCustomer, findPreferredAccount } from "../store/tables/customers.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import {
  insertPayment,
  lockPayment,
  updatePayment,
  type DebitRecord,
} from "../store/tables/payments.ts";
import { listPendingRefunds } from "../store/tables/refunds.ts";
import type { Context, Refusal } from "./context.ts";
import { changeRefund } from "./refunds.ts";
import { paymentResource } from "./resources.ts";
import { writeEvent } from "./write-event.ts";

export interface PaymentOrder {
  /** An id that no payment or refund of any merchant has. Default: a new one. */
  readonly id?: string | undefined;
  readonly customerId: string;
  /** 1 to 9,999,999,999. */
  readonly amountCents: bigint;
  /** Unique per merchant over debits and refunds, 1 to 255 characters. Default: the payment's id. */
  readonly requestKey?: string;
  readonly clientReferenceId?: string | undefined;
  /** Milliseconds of the merchant's clock, not later than now. Default: now. */
  readonly createdAt?: number | undefined;
}

type CreatePaymentOutcome =
  | { readonly ok: true; readonly payment: DebitRecord }
  | Refusal<"CUSTOMER_NOT_FOUND" | "CUSTOMER_NOT_LINKED" | "DUPLICATE_REQUEST_KEY">;

/** Creates a payment of a customer with a linked account (S 1), which the merchant may later refund. */
export async function createPayment(
  context: Context,
  merchant: Merchant,
  order: PaymentOrder,
): Promise<CreatePaymentOutcome> {
  const { id: merchantId, clockId } = merchant;
  return context.driver.transaction<CreatePaymentOutcome>(async (tx) => {
    const { customerId } = order;
    const customer = await findCustomer(tx, { merchantId, id: customerId });
    if (customer === undefined) return { ok: false, code: "CUSTOMER_NOT_FOUND" };
    const account = await findPreferredAccount(tx, { merchantId, customerId });
    if (account === undefined) return { ok: false, code: "CUSTOMER_NOT_LINKED" };

    const now = await instantOf(tx, context.clock, clockId);
    const id = order.id ?? newId(context.random, "pay");
    const payment: DebitRecord = {
      id,
      merchantId,
      clockId,
      customerId,
      direction: "DEBIT",
      amountCents: order.amountCents,
      reservedCents: 0n,
      status: "CREATED",
      covered: false,
      requestKey: order.requestKey ?? id,
      clientReferenceId: order.clientReferenceId ?? null,
      errorCode: null,
      errorMessage: null,
      createdAt: order.createdAt ?? now,
      settledAt: null,
      failedAt: null,
    };
    if (!(await insertPayment(tx, payment))) return { ok: false, code: "DUPLICATE_REQUEST_KEY" };
    const event = { kind: "payment.created", data: paymentResource(payment), at: now } as const;
    await writeEvent(tx, context, merchant, event);
    return { ok: true, payment };
  });
}

export type MovePaymentOutcome =
  | { readonly ok: true; readonly payment: DebitRecord }
  | MoveRefusal
  | Refusal<"PAYMENT_NOT_FOUND">;

type MoveRefusal =
  /** The payment's status does not permit the move. */
  | Refusal<"INVALID_TRANSITION">
  /** Bounds in milliseconds of the payment's clock, both inclusive. */
  | (Refusal<"SETTLED_AT_OUT_OF_RANGE"> & { readonly from: number; readonly to: number });

const INVALID: MoveRefusal = { ok: false, code: "INVALID_TRANSITION" };

/** Records that the bank has accepted a debit, which is still processing (S 3.1). */
export function authorizePayment(
  context: Context,
  merchant: Merchant,
  { paymentId }: { paymentId: string },
): Promise<MovePaymentOutcome> {
  return movePayment(context, merchant, paymentId, ({ status }) => {
    if (status === "AUTHORIZED") return "done";
    if (status !== "CREATED") return INVALID;
    const change = { status: "AUTHORIZED" } as const;
    return { change, event: "payment.authorized", refund: (refund) => refund };
  });
}

/**
 * Records a debit's settlement: its waiting refunds become due a number of business days after it, not
 * after the request (S 3.1). Those already due are AUTHORIZED.
 *
 * @param options `settledAt` in milliseconds of the payment's clock, from its creation to now, the default.
 * @throws {RangeError} The bank calendar ends before the refunds are due.
 */
export function settlePayment(
  context: Context,
  merchant: Merchant,
  { paymentId, settledAt }: { paymentId: string; settledAt?: number | undefined },
): Promise<MovePaymentOutcome> {
  return movePayment(context, merchant, paymentId, ({ status, createdAt }, now) => {
    if (status === "SUCCEEDED") return "done";
    if (status !== "CREATED" && status !== "AUTHORIZED") return INVALID;
    // Real time may have been set back since.
    const latest = Math.max(now, createdAt);
    const at = settledAt ?? latest;
    if (at < createdAt || at > latest) {
      return { ok: false, code: "SETTLED_AT_OUT_OF_RANGE", from: createdAt, to: latest };
    }
    const { hold } = context.policy;
    return {
      change: { status: "SUCCEEDED", settledAt: at },
      event: "payment.succeeded",
      // Refunds of a covered debit have failed already, so none of them waits.
      refund: (refund) => onSettled(refund, { settledAt: at, now, hold }),
    };
  });
}

/**
 * Records that a debit has failed. Each waiting refund fails with `CUSTOMER_NOT_DEBITED`, even when
 * overdue. An AUTHORIZED refund stays: its money is moving (S 3.1).
 *
 * @param options `status`: `CANCELED` only before settlement; `TERMINAL_FAILED`, the default, also later, as a return.
 */
export function failPayment(
  context: Context,
  merchant: Merchant,
  options: { readonly paymentId: string; readonly status?: "TERMINAL_FAILED" | "CANCELED" },
): Promise<MovePaymentOutcome> {
  const { paymentId, status = "TERMINAL_FAILED" } = options;
  return movePayment(context, merchant, paymentId, (debit, now) => {
    if (debit.status === status) return "done";
    const isProcessing = debit.status === "CREATED" || debit.status === "AUTHORIZED";
    if (status === "CANCELED") {
      if (!isProcessing) return INVALID;
      return { change: { status, failedAt: now }, event: "payment.canceled", refund: onFailed };
    }
    if (!isProcessing && debit.status !== "SUCCEEDED") return INVALID;
    const errorCode = "CUSTOMER_NOT_DEBITED";
    const change = {
      status,
      failedAt: now,
      errorCode,
      errorMessage: "The debit was not successful.",
    };
    return { change, event: "payment.failed", refund: onFailed };
  });
}

/**
 * Records that a debit is covered by the service: the merchant keeps the money although the customer was not debited.
 * Waiting refunds fail, and so does every later one, at any age of the debit (S 3.1). Cover has no event.
 */
export function coverPayment(
  context: Context,
  merchant: Merchant,
  { paymentId }: { paymentId: string },
): Promise<MovePaymentOutcome> {
  return movePayment(context, merchant, paymentId, ({ covered }) =>
    covered ? "done" : { change: { covered: true }, event: undefined, refund: onFailed },
  );
}

interface Move {
  readonly change: Partial<DebitRecord>;
  /** The event of the status entered; `undefined` if the status stays. */
  readonly event: EventKind | undefined;
  /** Applied to each of the debit's PENDING refunds. */
  readonly refund: (refund: Refund) => Refund;
}

/** Moves a debit and its PENDING refunds, each with its event. `decide` returns `"done"` if the debit has made the move. */
async function movePayment(
  context: Context,
  merchant: Merchant,
  paymentId: string,
  decide: (debit: DebitRecord, now: number) => Move | "done" | MoveRefusal,
): Promise<MovePaymentOutcome> {
  const merchantId = merchant.id;
  return context.driver.transaction<MovePaymentOutcome>(async (tx) => {
    const debit = await lockPayment(tx, { merchantId, id: paymentId });
    if (debit?.direction !== "DEBIT") return { ok: false, code: "PAYMENT_NOT_FOUND" };
    const at = await instantOf(tx, context.clock, merchant.clockId);
    const move = decide(debit, at);
    if (move === "done") return { ok: true, payment: debit };
    if ("ok" in move) return move;

    const payment = { ...debit, ...move.change };
    await updatePayment(tx, debit, payment);
    if (move.event !== undefined) {
      const event = { kind: move.event, data: paymentResource(payment), at };
      await writeEvent(tx, context, merchant, event);
    }
    for (const record of await listPendingRefunds(tx, { merchantId, originalId: paymentId })) {
      await changeRefund(tx, context, { record, change: move.refund, at });
    }
    return { ok: true, payment };
  });
}
