import { parseAmount } from "@countersign/rules";
import type { RefundRequest } from "@countersign/schemas";
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

/** The refund as S 2.2 has it, with the profile's choice of id and of an absent reference. */
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
    validation: validateRefundRequest(schemaView(body.value, policy)),
    more: [
      ...(cents === undefined ? [faultAt(wording, "/amount/value", "INVALID_AMOUNT")] : []),
      ...(isDescriptor(softDescriptor, policy)
        ? []
        : [faultAt(wording, "/softDescriptor", "INVALID_SOFT_DESCRIPTOR")]),
      ...aliasErrors(body.value, policy),
    ],
  });
  // `acceptMembers` has thrown for a missing amount, and for a descriptor that is not a string.
  if (cents === undefined) throw new Error("a request without an amount was accepted");
  return {
    paymentId: request.paymentId,
    amountCents: cents,
    requestKey: request.requestKey,
    clientReferenceId: referenceOf(request, policy) ?? null,
    softDescriptor: typeof softDescriptor === "string" ? softDescriptor : null,
  };
}

/**
 * The body without the members that the profile may accept in another form than the schema: the descriptor,
 * and an amount written as a string. Both are checked in this file.
 */
function schemaView(value: unknown, policy: Policy): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { softDescriptor: _, ...members } = membersOf(value);
  const { amount } = members;
  const isText = typeof membersOf(amount)["value"] === "string";
  if (!isText || policy.amount.strings === "reject") return members;
  return { ...members, amount: { ...membersOf(amount), value: 1 } };
}

/** Parses the source text of the number: as a double, `1.0000000000000001` is 1 (S 2.1). */
function amountOf({ value, numbers }: JsonBody, { amount: policy }: Policy): bigint | undefined {
  const written = membersOf(membersOf(value)["amount"])["value"];
  const isTextTaken = policy.strings === "accept" && typeof written === "string";
  const text = isTextTaken ? written : numbers.get("/amount/value");
  if (text === undefined) return undefined;
  const amount = parseAmount(text, policy);
  if (!amount.ok) return undefined;
  const { minimumCents, maximumCents } = policy;
  return amount.cents >= minimumCents && amount.cents <= maximumCents ? amount.cents : undefined;
}

function isDescriptor(value: unknown, { refund, limits }: Policy): boolean {
  if (value === undefined) return true;
  if (typeof value !== "string" || value.length > limits.softDescriptor) return false;
  return refund.softDescriptor.test(value);
}

/** S 4.1 spells the member in two ways; the profile decides about the second spelling. */
function aliasErrors(value: unknown, { refund }: Policy): MemberError[] {
  const { clientReferenceId, clientRefefenceId: alias } = membersOf(value);
  if (alias === undefined) return [];
  const pointer = "/clientRefefenceId";
  switch (refund.typoAlias) {
    case "alias":
      return clientReferenceId === undefined || clientReferenceId === alias
        ? []
        : [{ pointer, code: "CONTRADICTION", message: "differs from clientReferenceId" }];
    case "reject":
      return [{ pointer, code: "UNKNOWN_MEMBER", message: "the name is clientReferenceId" }];
    case "ignore":
      return [];
    default:
      return refund.typoAlias satisfies never;
  }
}

function referenceOf(request: RefundRequest, { refund }: Policy): string | undefined {
  if (refund.typoAlias === "ignore") return request.clientReferenceId;
  return request.clientReferenceId ?? request.clientRefefenceId;
}
