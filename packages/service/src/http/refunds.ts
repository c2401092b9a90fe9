import { askRefund, type AskRefundOutcome } from "../use-cases/ask-refund.ts";
import { refundResource } from "../use-cases/resources.ts";
import type { Policy } from "../policy.ts";
import type { RefundRecord } from "../store/tables/payments.ts";
import { readRefundRequest } from "./refund-request.ts";
import { refuse } from "./refuse.ts";
import type { Refused } from "./refused.ts";
import type { BodyRoute } from "./route.ts";

/** `POST /v1/refunds` (S 4.1). 201 where this call made a record, also a TERMINAL_FAILED one. */
export const postRefund: BodyRoute = {
  method: "POST",
  scope: "payments",
  rate: "refunds",
  writes: "refund",
  answer: async ({ context, merchant, body }) => {
    const { policy } = context;
    const order = readRefundRequest(body, context);
    const outcome = await askRefund(context, merchant, order);
    if (!outcome.ok) throw refusalOf(outcome);
    if (outcome.created) context.metrics.refundMade(outcome.refund.status);
    return {
      status: outcome.created ? policy.http.refundCreated : 200,
      body: refundAnswer(outcome.refund, policy),
    };
  },
};

function refusalOf(outcome: Extract<AskRefundOutcome, { ok: false }>): Refused {
  switch (outcome.code) {
    case "DUPLICATE_REQUEST_KEY":
      return refuse(outcome.code, outcome.existing && { existing: outcome.existing });
    case "PAYMENT_NOT_FOUND":
    case "PAYMENT_NOT_REFUNDABLE":
    case "PAYMENT_ALREADY_REFUNDED":
    case "REFUND_AMOUNT_EXCEEDS_REMAINING":
      return refuse(outcome.code);
    default:
      return outcome satisfies never;
  }
}

/** S 2.2, with what the profile says of the id and of a reference that was not sent. */
function refundAnswer(refund: RefundRecord, { refund: choice }: Policy): object {
  const { clientReferenceId, ...rest } = refundResource(refund);
  const paymentId = choice.answers === "refund" ? refund.id : refund.originalId;
  if (clientReferenceId !== null) return { ...rest, paymentId, clientReferenceId };
  switch (choice.absentReference) {
    case "null":
      return { ...rest, paymentId, clientReferenceId };
    case "empty":
      return { ...rest, paymentId, clientReferenceId: "" };
    case "omit":
      return { ...rest, paymentId };
    default:
      return choice.absentReference satisfies never;
  }
}
