import { parseAmount } from "@countersign/rules";
import { validateRefundRequest } from "@countersign/schemas/writers";
import type { Policy } from "../../profile/policy.ts";
import { type Wording, acceptMembers, faultAt } from "../members.ts";
import type { RefundRecord } from "../../store/tables/payments.ts";
import { askRefund, type AskRefundOutcome, type RefundOrder } from "../../use-cases/ask-refund.ts";
import { refundResource } from "../../use-cases/resources.ts";
import { membersOf } from "../body.ts";
import { type MemberError, refuse, type Refused } from "../problem.ts";
import type { BodyRoute, JsonBody } from "../route.ts";

/** `POST /v1/refunds` (S 4.1). 201 if this call created a record, also a TERMINAL_FAILED one. */
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
      status: outcome.created ? policy.statuses.refundCreated : 200,
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

/** The refund as S 2.2 has it, with the profile's choice of id and of an absent reference. */
function refundAnswer(refund: RefundRecord, { refund: choice }: Policy): object {
  const { clientReferenceId, ...rest } = refundResource(refund);
  const paymentId = choice.responsePaymentId === "refund" ? refund.id : refund.originalId;
  const isLeftOut = clientReferenceId === null && choice.clientReferenceIdWhenAbsent === "omit";
  return { ...rest, paymentId, ...(!isLeftOut && { clientReferenceId }) };
}

/**
 * Reads the body of a refund request (S 4.1) and reports all its errors together.
 *
 * @throws {Refused} 400 with JSON Pointers: `INVALID_AMOUNT`, `UNSUPPORTED_CURRENCY`,
 *   `INVALID_SOFT_DESCRIPTOR`, or `INVALID_REQUEST`.
 */
function readRefundRequest(body: JsonBody, wording: Wording): RefundOrder {
  const { policy } = wording;
  const { softDescriptor } = membersOf(body.value);
  const cents = amountOf(body, policy);
  const request = acceptMembers(wording, {
    body: body.value,
    validation: validateRefundRequest(withoutDescriptor(body.value)),
    more: [
      ...(cents === undefined ? [faultAt(wording, "/amount/value", "INVALID_AMOUNT")] : []),
      ...(isDescriptor(softDescriptor, policy)
        ? []
        : [faultAt(wording, "/softDescriptor", "INVALID_SOFT_DESCRIPTOR")]),
      ...aliasErrors(body.value),
    ],
  });
  // `acceptMembers` has thrown for a missing amount, and for a descriptor that is not a string.
  if (cents === undefined) throw new Error("a request without an amount was accepted");
  return {
    paymentId: request.paymentId,
    amountCents: cents,
    requestKey: request.requestKey,
    clientReferenceId: request.clientReferenceId ?? request.clientRefefenceId ?? null,
    softDescriptor: typeof softDescriptor === "string" ? softDescriptor : null,
  };
}

/** The body without the member that the profile may accept in another form than the schema. */
function withoutDescriptor(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { softDescriptor: _, ...members } = membersOf(value);
  return members;
}

/** Parses the source text of the number: as a double, `1.0000000000000001` is 1 (S 2.1). */
function amountOf({ numbers }: JsonBody, { amount: bounds }: Policy): bigint | undefined {
  const text = numbers.get("/amount/value");
  if (text === undefined) return undefined;
  const amount = parseAmount(text);
  if (!amount.ok) return undefined;
  const { minimumCents, maximumCents } = bounds;
  return amount.cents >= minimumCents && amount.cents <= maximumCents ? amount.cents : undefined;
}

function isDescriptor(value: unknown, { descriptor, limits }: Policy): boolean {
  if (value === undefined) return true;
  if (typeof value !== "string" || value.length > limits.softDescriptor) return false;
  return descriptor.pattern.test(value);
}

/** S 4.1 spells the member in two ways. */
function aliasErrors(value: unknown): MemberError[] {
  const { clientReferenceId, clientRefefenceId: alias } = membersOf(value);
  if (alias === undefined || clientReferenceId === undefined || clientReferenceId === alias)
    return [];
  const message = "differs from clientReferenceId";
  return [{ pointer: "/clientRefefenceId", code: "CONTRADICTION", message }];
}
