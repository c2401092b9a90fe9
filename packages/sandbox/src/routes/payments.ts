import {
  findPayment,
  listPayments,
  paymentResource,
  useCasesOf,
  writtenTime,
  type BodyCall,
  type MovePaymentOutcome,
  type PaymentRecord,
  type Refused,
  type Route,
  type Routes,
  type UseCases,
} from "@countersign/service/internal";
import { amount, oneOf, optional, text, type Members, type Spec } from "../readers.ts";
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
        const { createPayment } = useCasesOf(call.context);
        const outcome = await createPayment(call.merchant, { ...order, amountCents });
        if (!outcome.ok) throw refuse(outcome.code);
        return shown(outcome.payment);
      },
    ),
  ],
  [`${PAYMENT}/authorize`]: [
    move({}, (useCases, { merchant }, named) => useCases.authorizePayment(merchant, named)),
  ],
  // Its refunds get a due time (S 3.1).
  [`${PAYMENT}/settle`]: [
    move({ settledAt: optional(time) }, (useCases, { merchant }, order) =>
      useCases.settlePayment(merchant, order),
    ),
  ],
  // Its waiting refunds fail (S 3.1).
  [`${PAYMENT}/fail`]: [
    move(
      { status: optional(oneOf("TERMINAL_FAILED", "CANCELED")) },
      (useCases, { merchant }, order) => useCases.failPayment(merchant, order),
    ),
  ],
  // The service covers it (S 3.1).
  [`${PAYMENT}/cover`]: [
    move({}, (useCases, { merchant }, named) => useCases.coverPayment(merchant, named)),
  ],
  // The bank returns an AUTHORIZED refund, if the profile permits it.
  [`${PAYMENT}/return`]: [
    move({}, async ({ returnRefund }, { context, merchant }, named) => {
      const outcome = await returnRefund(merchant, named);
      const isInvalid = !outcome.ok && outcome.code === "INVALID_TRANSITION";
      if (isInvalid && !context.policy.refund.lateReturn) throw refuse("LATE_RETURN_UNSUPPORTED");
      return outcome;
    }),
  ],
};

type Moved = { readonly ok: true } | Extract<MovePaymentOutcome, { ok: false }>;

/** A route that changes a payment and answers with its new state. */
function move<S extends Spec>(
  spec: S,
  change: (
    useCases: UseCases,
    call: BodyCall,
    order: Members<S> & { readonly paymentId: string },
  ) => Promise<Moved>,
): Route {
  return post(200, spec, async (call, members) => {
    const { context, merchant } = call;
    const paymentId = parameter(call, "paymentId");
    const moved = await change(useCasesOf(context), call, { ...members, paymentId });
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
