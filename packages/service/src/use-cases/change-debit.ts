import type { Refund } from "@countersign/rules";
import type { EventKind } from "../policy.ts";
import { instantOf } from "../store/tables/clocks.ts";
import { listPendingRefunds } from "../store/tables/refunds.ts";
import { lockPayment, updatePayment, type DebitRecord } from "../store/tables/payments.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import { changeRefund } from "./change-refund.ts";
import type { Context } from "./context.ts";
import { paymentResource } from "./resources/payment-resource.ts";
import { writeEvent } from "./write-event.ts";

export type ChangeDebitOutcome =
  | { readonly ok: true; readonly payment: DebitRecord }
  /** `INVALID_TRANSITION`: the payment's state does not admit the move. */
  | { readonly ok: false; readonly code: "PAYMENT_NOT_FOUND" | "INVALID_TRANSITION" };

/** What a debit's move comes to. */
export interface DebitMove {
  readonly change: Partial<
    Pick<
      DebitRecord,
      "status" | "covered" | "settledAt" | "failedAt" | "errorCode" | "errorMessage"
    >
  >;
  /** The event of the state entered; none where no state is. */
  readonly event: EventKind | undefined;
  /** What it does to the debit's PENDING refunds. */
  readonly refund: (refund: Refund) => Refund;
}

export interface DebitStep {
  readonly paymentId: string;
  /**
   * The move at `now` (milliseconds of the payment's clock), `"done"` where the debit is there
   * already, or `undefined` where its state does not admit it.
   */
  readonly move: (debit: DebitRecord, now: number) => DebitMove | "done" | undefined;
}

/**
 * Moves a debit and what waits for it, in one transaction: the debit's state and event, then each
 * PENDING refund's. Repeating a move that has been made changes nothing.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function changeDebit(
  context: Context,
  merchant: Merchant,
  { paymentId, move }: DebitStep,
): Promise<ChangeDebitOutcome> {
  const outcome = await context.driver.transaction<ChangeDebitOutcome>(async (tx) => {
    const debit = await lockPayment(tx, { merchantId: merchant.id, id: paymentId });
    if (debit?.direction !== "DEBIT") return { ok: false, code: "PAYMENT_NOT_FOUND" };
    const at = await instantOf(tx, context.clock, merchant.clockId);
    const step = move(debit, at);
    if (step === undefined) return { ok: false, code: "INVALID_TRANSITION" };
    if (step === "done") return { ok: true, payment: debit };

    const payment = { ...debit, ...step.change };
    await updatePayment(tx, debit, payment);
    if (step.event !== undefined) {
      const event = { kind: step.event, data: paymentResource(payment), at };
      await writeEvent(tx, context, merchant, event);
    }
    const waiting = await listPendingRefunds(tx, {
      merchantId: merchant.id,
      originalId: paymentId,
    });
    for (const record of waiting) {
      await changeRefund(tx, context, { record, change: step.refund, at });
    }
    return { ok: true, payment };
  });
  if (outcome.ok) context.onWork();
  return outcome;
}
