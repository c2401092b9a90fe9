import {
  amount,
  authorizePayment,
  coverPayment,
  createPayment,
  failPayment,
  findPayment,
  listPayments,
  oneOf,
  optional,
  paymentResource,
  returnRefund,
  settlePayment,
  text,
  writtenTime,
  type Call,
  type Members,
  type Merchant,
  type MovePaymentOutcome,
  type PaymentRecord,
  type Refused,
  type Route,
  type Routes,
  type Spec,
} from "@countersign/service/internal";
import { refuse } from "../refusals.ts";
import { time } from "../times.ts";
import { get, listed, parameter, post, refuseMember } from "./call.ts";

const PAYMENT = "/sandbox/payments/:paymentId";

export const paymentRoutes: Routes = {
  "/sandbox/payments": [
    get(async (call) => {
      const payments = await listPayments(call.context.driver, listed(call));
      return { payments: payments.map(shown) };
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

type Moved = { readonly ok: true } | Extract<MovePaymentOutcome, { ok: false }>;

/** A route that changes a payment and answers with its new state. */
function move<S extends Spec>(
  spec: S,
  change: (
    context: Call["context"],
    merchant: Merchant,
    order: Members<S> & { readonly paymentId: string },
  ) => Promise<Moved>,
): Route {
  return post(200, spec, async (call, members) => {
    const { context, merchant } = call;
    const paymentId = parameter(call, "paymentId");
    const moved = await change(context, merchant, { ...members, paymentId });
    if (!moved.ok) throw refusalOf(moved);
    const payment = await findPayment(context.driver, { merchantId: merchant.id, id: paymentId });
    if (payment === undefined) throw refuse("PAYMENT_NOT_FOUND");
    return shown(payment);
  });
}

function refusalOf(outcome: Extract<Moved, { ok: false }>): Refused {
  if (outcome.code !== "SETTLED_AT_OUT_OF_RANGE") return refuse(outcome.code);
  const [from, to] = [writtenTime(outcome.from), writtenTime(outcome.to)];
  const message = `must be from the payment's creation, ${from}, to the clock's time, ${to}`;
  return refuseMember("/settledAt", message);
}

/** A payment record; a waiting refund also with the time from which it is AUTHORIZED. */
function shown(payment: PaymentRecord): object {
  const record = { ...paymentResource(payment), requestKey: payment.requestKey };
  if (payment.direction === "DEBIT") return record;
  return { ...record, eligibleAt: payment.dueAt === null ? null : writtenTime(payment.dueAt) };
}
