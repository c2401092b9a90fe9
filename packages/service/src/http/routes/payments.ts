import { validateRefundRequest } from "@countersign/schemas/writers";
import type { Policy } from "../../profile/policy.ts";
import { type Wording, acceptMembers, faultAt } from "../members.ts";
import type { RefundRecord } from "../../store/tables/payments.ts";
import { askRefund, type RefundOrder } from "../../use-cases/ask-refund.ts";
import { getCustomer } from "../../use-cases/customers.ts";
import { refundResource } from "../../use-cases/resources.ts";
import { isObject } from "../body.ts";
import { type MemberError, refuse } from "../problem.ts";
import { readCents } from "../readers.ts";
import { pathParameter, type BodyRoute, type GetRoute, type JsonBody } from "../route.ts";

/** `POST /v1/refunds` (S 4.1). 201 if this call created a record, also a TERMINAL_FAILED one. */
export const postRefund: BodyRoute = {
  method: "POST",
  scope: "payments",
  rate: "refunds",
  answer: async ({ context, merchant, body }) => {
    const { policy, metrics } = context;
    const outcome = await askRefund(context, merchant, readRefundRequest(body, context));
    if (!outcome.ok) {
      const { code } = outcome;
      const existing = code === "DUPLICATE_REQUEST_KEY" ? outcome.existing : undefined;
      throw refuse(code, existing && { existing });
    }
    metrics.refundMade(outcome.refund.status);
    return { status: policy.statuses.refundCreated, body: refundAnswer(outcome.refund, policy) };
  },
};

/** `GET /v1/customers/{CUSTOMER_ID}` (S 4.2). */
export const getCustomerRoute: GetRoute = {
  method: "GET",
  scope: "core",
  answer: async ({ context, merchant, request }) => {
    const id = pathParameter(request, "customerId") ?? "";
    const outcome = await getCustomer(context, merchant, id);
    if (!outcome.ok) throw refuse(outcome.code);
    return { status: 200, body: outcome.customer };
  },
};

/** The refund as S 2.2 has it, with the profile's choice of id and of an absent reference. */
function refundAnswer(refund: RefundRecord, { refund: choice }: Policy): object {
  const { clientReferenceId, ...rest } = refundResource(refund);
  const paymentId = choice.responsePaymentId === "refund" ? refund.id : refund.originalId;
  const isLeftOut = clientReferenceId === null && choice.clientReferenceIdWhenAbsent === "omit";
  return { ...rest, paymentId, ...(!isLeftOut && { clientReferenceId }) };
}

/** Reads the body of a refund request (S 4.1) and refuses all its errors together. */
function readRefundRequest(body: JsonBody, wording: Wording): RefundOrder {
  const { policy } = wording;
  const cents = readCents(body.numbers.get("/amount/value"), policy);
  // The profile may accept the descriptor in another form than the schema.
  const { softDescriptor, ...others } = isObject(body.value) ? body.value : {};
  const more: MemberError[] = aliasErrors(others);
  if (cents === undefined) more.push(faultAt(wording, "/amount/value", "INVALID_AMOUNT"));
  if (!isDescriptor(softDescriptor, policy))
    more.push(faultAt(wording, "/softDescriptor", "INVALID_SOFT_DESCRIPTOR"));
  const validation = validateRefundRequest(isObject(body.value) ? others : body.value);
  const request = acceptMembers(wording, { body: body.value, validation, more });
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

function isDescriptor(value: unknown, { descriptor, limits }: Policy): boolean {
  if (value === undefined) return true;
  if (typeof value !== "string" || value.length > limits.softDescriptor) return false;
  return descriptor.pattern.test(value);
}

/** S 4.1 spells the member in two ways. */
function aliasErrors(members: Readonly<Record<string, unknown>>): MemberError[] {
  const { clientReferenceId, clientRefefenceId: alias } = members;
  if (alias === undefined || clientReferenceId === undefined || clientReferenceId === alias)
    return [];
  const message = "differs from clientReferenceId";
  return [{ pointer: "/clientRefefenceId", code: "CONTRADICTION", message }];
}
