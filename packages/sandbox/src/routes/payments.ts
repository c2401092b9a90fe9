import {
  findPayment,
  listPayments,
  pathParameter,
  paymentResource,
  refuse,
  refuseMembers,
  useCasesOf,
  writtenTime,
  type BodyCall,
  type MovePaymentOutcome,
  type PaymentRecord,
  type Refused,
  type Route,
} from "@countersign/service";
import { listLimit } from "../list-limit.ts";
import { amount, oneOf, optional, readMembers, required, text } from "../members.ts";
import { refuseControl } from "../refusals.ts";
import { timeWithin } from "../time.ts";

/** `GET /sandbox/payments`: debits and refunds, the newest first. */
export const getPayments: Route = {
  method: "GET",
  scope: undefined,
  answer: async (call) => {
    const records = await listPayments(call.context.driver, {
      merchantId: call.merchant.id,
      limit: listLimit(call),
    });
    return { status: 200, body: { payments: records.map(shown) } };
  },
};

/** `POST /sandbox/payments`: a debit, CREATED. Refused for a customer without an account (S 1). */
export const postPayment: Route = {
  method: "POST",
  scope: undefined,
  answer: async ({ context, merchant, body }) => {
    const order = readMembers(body, {
      customerId: required(text({ max: 64 })),
      amount: required(amount(context)),
      requestKey: optional(
        text({ max: 255, pattern: [/^[\x20-\x7E]+$/, "printable ASCII characters"] }),
      ),
      clientReferenceId: optional(text({ max: 255 })),
    });
    const outcome = await useCasesOf(context).createPayment(merchant, {
      customerId: order.customerId,
      amountCents: order.amount,
      ...(order.requestKey !== undefined && { requestKey: order.requestKey }),
      ...(order.clientReferenceId !== undefined && { clientReferenceId: order.clientReferenceId }),
    });
    if (outcome.ok) return { status: 201, body: shown(outcome.payment) };
    throw outcome.code === "CUSTOMER_NOT_LINKED"
      ? refuseControl(outcome.code)
      : refuse(outcome.code);
  },
};

/** `POST /sandbox/payments/{id}/authorize`: the debit is still processing. */
export const postAuthorize: Route = moveRoute((call) => {
  readMembers(call.body, {});
  return useCasesOf(call.context).authorizePayment(call.merchant, { paymentId: paymentIdOf(call) });
});

/**
 * `POST /sandbox/payments/{id}/settle`: its refunds get a due time (S 3.1). `settledAt` is from the payment's
 * creation to the clock's now, which is the default.
 */
export const postSettle: Route = moveRoute((call) => {
  const { settledAt } = readMembers(call.body, {
    settledAt: optional(timeWithin(call.context.policy)),
  });
  return useCasesOf(call.context).settlePayment(call.merchant, {
    paymentId: paymentIdOf(call),
    ...(settledAt !== undefined && { settledAt }),
  });
});

/** `POST /sandbox/payments/{id}/fail`: its waiting refunds fail (S 3.1). */
export const postFail: Route = moveRoute((call) => {
  const { status } = readMembers(call.body, {
    status: optional(oneOf("TERMINAL_FAILED", "CANCELED")),
  });
  return useCasesOf(call.context).failPayment(call.merchant, {
    paymentId: paymentIdOf(call),
    ...(status !== undefined && { status }),
  });
});

/** `POST /sandbox/payments/{id}/cover`: it falls into the service's cover (S 3.1). */
export const postCover: Route = moveRoute((call) => {
  readMembers(call.body, {});
  return useCasesOf(call.context).coverPayment(call.merchant, { paymentId: paymentIdOf(call) });
});

/** `POST /sandbox/payments/{id}/return`: the bank returns an AUTHORIZED refund, where a profile says so. */
export const postReturn: Route = moveRoute(async (call) => {
  readMembers(call.body, {});
  const paymentId = paymentIdOf(call);
  const outcome = await useCasesOf(call.context).returnRefund(call.merchant, { paymentId });
  const isUnsupported = !call.context.policy.refund.lateReturn;
  return !outcome.ok && outcome.code === "INVALID_TRANSITION" && isUnsupported
    ? { ok: false, code: "LATE_RETURN_UNSUPPORTED" }
    : outcome;
});

type MoveOutcome =
  | { readonly ok: true }
  | Extract<MovePaymentOutcome, { ok: false }>
  | { readonly ok: false; readonly code: "LATE_RETURN_UNSUPPORTED" };

/** A route that moves a payment and answers with what it is now. */
function moveRoute(move: (call: BodyCall) => Promise<MoveOutcome>): Route {
  return {
    method: "POST",
    scope: undefined,
    answer: async (call) => {
      const outcome = await move(call);
      if (!outcome.ok) throw refusalOf(outcome);
      const { context, merchant } = call;
      const id = paymentIdOf(call);
      const payment = await findPayment(context.driver, { merchantId: merchant.id, id });
      if (payment === undefined) throw refuse("PAYMENT_NOT_FOUND");
      return { status: 200, body: shown(payment) };
    },
  };
}

function refusalOf(outcome: Extract<MoveOutcome, { ok: false }>): Refused {
  switch (outcome.code) {
    case "PAYMENT_NOT_FOUND":
      return refuse(outcome.code);
    case "INVALID_TRANSITION":
    case "LATE_RETURN_UNSUPPORTED":
      return refuseControl(outcome.code);
    case "SETTLED_AT_OUT_OF_RANGE": {
      const [from, to] = [writtenTime(outcome.from), writtenTime(outcome.to)];
      const message = `must be from the payment's creation, ${from}, to the clock's time, ${to}`;
      return refuseMembers([{ pointer: "/settledAt", code: "INVALID_VALUE", message }]);
    }
    default:
      return outcome satisfies never;
  }
}

function paymentIdOf({ request }: BodyCall): string {
  return pathParameter(request, "paymentId") ?? "";
}

/** The payment record, and of a waiting refund the time from which it is AUTHORIZED. */
function shown(payment: PaymentRecord): object {
  const { requestKey } = payment;
  if (payment.direction === "DEBIT") return { ...paymentResource(payment), requestKey };
  const eligibleAt = payment.dueAt === null ? null : writtenTime(payment.dueAt);
  return { ...paymentResource(payment), requestKey, eligibleAt };
}
