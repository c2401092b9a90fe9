import { parseAmount } from "@countersign/rules";
import type { RefundRequest } from "@countersign/schemas";
import { validateRefundRequest } from "@countersign/schemas/writers";
import type { Policy } from "../policy.ts";
import type { RefundOrder } from "../use-cases/ask-refund.ts";
import { acceptMembers, faultAt } from "./member-errors.ts";
import { membersOf } from "./members-of.ts";
import type { MemberError } from "./refused.ts";
import type { JsonBody } from "./route.ts";
import type { Wording } from "./words.ts";

/**
 * The body of a refund request as an order (S 4.1). Everything that is wrong with it is told at once.
 *
 * @throws {Refused} 400 with JSON Pointers: `INVALID_AMOUNT`, `UNSUPPORTED_CURRENCY`,
 *   `INVALID_SOFT_DESCRIPTOR`, or `INVALID_REQUEST`.
 */
export function readRefundRequest(body: JsonBody, wording: Wording): RefundOrder {
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
  // Without an amount `acceptMembers` has thrown, as for a descriptor that is no text.
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
 * The body without what the profile may take in another form than the schema: the descriptor, and an
 * amount that is written as text. Both are judged here.
 */
function schemaView(value: unknown, policy: Policy): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { softDescriptor: _, ...members } = membersOf(value);
  const { amount } = members;
  const isText = typeof membersOf(amount)["value"] === "string";
  if (!isText || policy.amount.strings === "reject") return members;
  return { ...members, amount: { ...membersOf(amount), value: 1 } };
}

/** Judges the text of the number: as a double, `1.0000000000000001` is 1 (S 2.1). */
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

/** S 4.1 spells the member in two ways: what the second spelling means is the profile's to say. */
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
