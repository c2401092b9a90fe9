import type { ExistingRefund, Refund, SchemaError, Validation } from "@countersign/schemas";
import type { Profile } from "@countersign/schemas/profiles";
import { validateErrorDetails, validateRefund } from "@countersign/schemas/readers";
import type { Prepared } from "../call.ts";
import type { Read } from "../read-json-answer.ts";
import type { RefusalReading } from "../read-refusal.ts";
import type { RefundAnswer, RefundStatus } from "../refund-answer.ts";
import { refundBody, type RefundOrder } from "./refund-body.ts";

/** `POST /v1/refunds` (S 4.1), which its `requestKey` makes idempotent. */
export function refundCall(order: RefundOrder, profile: Profile): Prepared<RefundAnswer> {
  const body = refundBody(order, profile);
  if (!body.ok) return body;
  return {
    ok: true,
    call: {
      name: "refund",
      method: "POST",
      path: "/v1/refunds",
      body: body.text,
      isIdempotent: true,
      changes: true,
      secrets: [],
      validate: (value) => readRefund(value, order, profile),
      settle: (reading) => settle(reading, order, profile),
    },
  };
}

function readRefund(
  value: unknown,
  order: RefundOrder,
  profile: Profile,
): Validation<RefundAnswer> {
  const validation = validateRefund(withReference(value));
  if (!validation.ok) return validation;
  const refund = validation.value;
  const strange = answersAnother(refund, order, profile);
  if (strange !== undefined) return { ok: false, errors: [strange] };
  // A status that is not known yet may have a reason too.
  const details = validateErrorDetails("errorDetails" in refund ? refund.errorDetails : undefined);
  return {
    ok: true,
    value: {
      ...base(order),
      paymentStatus: statusOf(refund),
      paymentId: refund.paymentId,
      refundId: refundIdOf(refund, order, profile),
      ...(details.ok && { errorDetails: details.value }),
      recovered: false,
    },
  };
}

/** The received status: the reader accepts values that its schema does not list. */
function statusOf({ paymentStatus }: { readonly paymentStatus: RefundStatus }): RefundStatus {
  // S 3.1 calls the state FAILED, its value is TERMINAL_FAILED.
  return paymentStatus === "FAILED" ? "TERMINAL_FAILED" : paymentStatus;
}

/** For a request without a reference, a provider may answer `null`, an empty text or nothing (S 2.2). */
function withReference(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return { clientReferenceId: null, ...value };
}

/** The answer to another request, which a connection may deliver if it answers twice. */
function answersAnother(
  refund: Refund,
  { clientReferenceId, paymentId }: RefundOrder,
  profile: Profile,
): SchemaError | undefined {
  const reference = refund.clientReferenceId === "" ? null : refund.clientReferenceId;
  if (reference !== (clientReferenceId ?? null))
    return {
      pointer: "/clientReferenceId",
      keyword: "const",
      message: "must be that of the request",
    };
  if (profile.refund.responsePaymentId === "original" && refund.paymentId !== paymentId)
    return { pointer: "/paymentId", keyword: "const", message: "must be that of the request" };
  return undefined;
}

/**
 * Interprets a refusal of this refund. A duplicate of the same request is this refund: an attempt whose
 * answer was lost made it (S 4.1, rule 1). Any other is an error, never a reason for a new key.
 */
function settle(
  { refusal, existing }: RefusalReading,
  order: RefundOrder,
  profile: Profile,
): Read<RefundAnswer> {
  const isDuplicate = [409, profile.statuses.duplicateKey].includes(refusal.status);
  if (isDuplicate && existing?.sameRequest === true) {
    return { ok: true, value: recovered(existing, order, profile) };
  }
  // A 409 without a code is a duplicate too, since nothing else of this call is a 409 (S 4.1).
  const saysSo =
    existing !== undefined ||
    refusal.errorCode === "DUPLICATE_REQUEST_KEY" ||
    (refusal.errorCode === undefined && refusal.status === 409);
  if (isDuplicate && saysSo) {
    return { ok: false, failure: { code: "CS_REQUEST_KEY_USED", refusal, existing } };
  }
  return { ok: false, failure: { code: "CS_CALL_REFUSED", refusal } };
}

function recovered(existing: ExistingRefund, order: RefundOrder, profile: Profile): RefundAnswer {
  const isOriginal = profile.refund.responsePaymentId === "original";
  return {
    ...base(order),
    paymentStatus: existing.paymentStatus,
    paymentId: isOriginal ? order.paymentId : existing.paymentId,
    refundId: existing.paymentId === order.paymentId ? undefined : existing.paymentId,
    recovered: true,
  };
}

function base(
  order: RefundOrder,
): Pick<RefundAnswer, "originalPaymentId" | "requestKey" | "clientReferenceId"> {
  const { paymentId, requestKey, clientReferenceId } = order;
  return {
    originalPaymentId: paymentId,
    requestKey,
    clientReferenceId: clientReferenceId ?? null,
  };
}

function refundIdOf(
  { paymentId }: Pick<Refund, "paymentId">,
  order: RefundOrder,
  profile: Profile,
): string | undefined {
  const isOwn = profile.refund.responsePaymentId === "refund" && paymentId !== order.paymentId;
  return isOwn ? paymentId : undefined;
}
