import { newId } from "../ids.ts";
import { instantOf } from "../store/tables/clocks.ts";
import { findCustomer, findPreferredAccount } from "../store/tables/customers.ts";
import { insertPayment, type DebitRecord } from "../store/tables/payments.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import type { Context } from "./context.ts";
import { paymentResource } from "./resources/payment-resource.ts";
import { writeEvent } from "./write-event.ts";

export interface PaymentOrder {
  readonly customerId: string;
  /** 1 to 9,999,999,999. */
  readonly amountCents: bigint;
  /** Unique per merchant over debits and refunds, 1 to 255 characters. Default: the payment's id. */
  readonly requestKey?: string;
  readonly clientReferenceId?: string;
}

export type CreatePaymentOutcome =
  | { readonly ok: true; readonly payment: DebitRecord }
  | {
      readonly ok: false;
      readonly code: "CUSTOMER_NOT_FOUND" | "CUSTOMER_NOT_LINKED" | "DUPLICATE_REQUEST_KEY";
    };

/**
 * Debits a customer: the payment that a merchant may later refund. Refused without a linked account
 * (S 1, preconditions).
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function createPayment(
  context: Context,
  merchant: Merchant,
  order: PaymentOrder,
): Promise<CreatePaymentOutcome> {
  const outcome = await context.driver.transaction<CreatePaymentOutcome>(async (tx) => {
    const { customerId } = order;
    const customer = await findCustomer(tx, { merchantId: merchant.id, id: customerId });
    if (customer === undefined) return { ok: false, code: "CUSTOMER_NOT_FOUND" };
    const account = await findPreferredAccount(tx, { merchantId: merchant.id, customerId });
    if (account === undefined) return { ok: false, code: "CUSTOMER_NOT_LINKED" };

    const now = await instantOf(tx, context.clock, merchant.clockId);
    const id = newId(context.random, "pay");
    const payment: DebitRecord = {
      id,
      merchantId: merchant.id,
      clockId: merchant.clockId,
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
      createdAt: now,
      settledAt: null,
      failedAt: null,
    };
    if (!(await insertPayment(tx, payment))) return { ok: false, code: "DUPLICATE_REQUEST_KEY" };
    const event = { kind: "payment.created", data: paymentResource(payment), at: now } as const;
    await writeEvent(tx, context, merchant, event);
    return { ok: true, payment };
  });
  if (outcome.ok) context.onWork();
  return outcome;
}
