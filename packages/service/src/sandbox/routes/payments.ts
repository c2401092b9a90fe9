import { formatAmount } from "@countersign/rules";
import type { Routes } from "../../http/app.ts";
import { amount, oneOf, optional, text } from "../../http/readers.ts";
import type { Call } from "../../http/route.ts";
import { listEventsWith } from "../../store/tables/explorer.ts";
import {
  countPayments,
  findPayment,
  listPayments,
  type PaymentRecord,
} from "../../store/tables/payments.ts";
import { listRefunds } from "../../store/tables/refunds.ts";
import {
  authorizePayment,
  coverPayment,
  createPayment,
  failPayment,
  settlePayment,
} from "../../use-cases/payments.ts";
import { returnRefund } from "../../use-cases/refunds.ts";
import { paymentResource, writtenTime } from "../../use-cases/resources.ts";
import { refuse } from "../refusals.ts";
import { subjectOf, timeOrNull } from "../shown.ts";
import { time } from "../times.ts";
import { changeRoute, get, listed, parameter, post, queryOf } from "./call.ts";

const PAYMENT = "/sandbox/payments/:paymentId";
const move = changeRoute("paymentId", async (call, id) => shown(await find(call, id)));

export const paymentRoutes: Routes = {
  "/sandbox/payments": [
    // `q` is a part of an id, request key or reference; `before` is the id of the last payment of the page before.
    get(async (call) => {
      const { q, status, before } = Object.fromEntries(queryOf(call));
      const { driver } = call.context;
      const filter = { ...listed(call), q: q?.trim(), status, before };
      const payments = await listPayments(driver, filter);
      return { payments: payments.map(shown), count: await countPayments(driver, filter) };
    }),
    // Creates a debit in CREATED; refused for a customer without an account (S 1).
    post(
      201,
      {
        customerId: text(64),
        amount,
        requestKey: optional(
          text(255, { pattern: /^[\x20-\x7E]+$/, words: "printable ASCII characters" }),
        ),
        clientReferenceId: optional(text(255)),
      },
      async (call, { amount: amountCents, ...order }) => {
        const outcome = await createPayment(call.context, call.merchant, { ...order, amountCents });
        if (!outcome.ok) throw refuse(outcome.code);
        return shown(outcome.payment);
      },
    ),
  ],
  [PAYMENT]: [
    // A payment or refund, with its debit, all refunds of that, and the events of all.
    get(async (call) => {
      const { driver, policy } = call.context;
      const merchantId = call.merchant.id;
      const payment = await find(call, parameter(call, "paymentId"));
      const debit = payment.direction === "CREDIT" ? await find(call, payment.originalId) : payment;
      const refunds = await listRefunds(driver, { merchantId, originalId: debit.id });
      const ids = [debit.id, ...refunds.map(({ id }) => id)];
      const events = await listEventsWith(driver, merchantId, ids);
      return {
        payment: shown(payment),
        debit: shown(debit),
        refunds: refunds.map(shown),
        events: events.map((event) => ({
          id: event.id,
          type: event.type,
          subject: subjectOf(policy, event),
          timestamp: writtenTime(event.createdAt),
        })),
      };
    }),
  ],
  [`${PAYMENT}/authorize`]: [move({}, authorizePayment)],
  // Its refunds get a due time (S 3.1).
  [`${PAYMENT}/settle`]: [move({ settledAt: optional(time) }, settlePayment)],
  // Its waiting refunds fail (S 3.1).
  [`${PAYMENT}/fail`]: [
    move({ status: optional(oneOf("TERMINAL_FAILED", "CANCELED")) }, failPayment),
  ],
  // The service covers it (S 3.1).
  [`${PAYMENT}/cover`]: [move({}, coverPayment)],
  // The bank returns an AUTHORIZED refund.
  [`${PAYMENT}/return`]: [move({}, returnRefund)],
};

async function find({ context, merchant }: Call, id: string): Promise<PaymentRecord> {
  const payment = await findPayment(context.driver, { merchantId: merchant.id, id });
  if (payment === undefined) throw refuse("PAYMENT_NOT_FOUND");
  return payment;
}

/** A payment with what is left to refund of it, in USD, or a refund with the time from which it is AUTHORIZED. */
function shown(payment: PaymentRecord): object {
  const record = { ...paymentResource(payment), requestKey: payment.requestKey };
  if (payment.direction === "CREDIT") return { ...record, eligibleAt: timeOrNull(payment.dueAt) };
  const left = payment.amountCents - payment.reservedCents;
  const isRefundable = left > 0n && !["TERMINAL_FAILED", "CANCELED"].includes(payment.status);
  return { ...record, refundable: isRefundable ? formatAmount(left) : null };
}
