import type { ErrorDetails, ExistingRefund, Validation } from "@countersign/schemas";
import type { Profile } from "@countersign/schemas/profiles";
import { validateErrorDetails, validateRefund } from "@countersign/schemas/readers";
import { validateRefundRequest } from "@countersign/schemas/writers";
import { formatAmount, parseAmount } from "@countersign/rules";
import type { Call } from "./call.ts";
import { failed, invalidRequest, type Failure, type Result } from "./errors.ts";

/** A requested refund (S 4.1), in US dollars. */
export interface RefundOrder {
  /** The original (debit) payment. */
  readonly paymentId: string;
  /** `"10.50"` (`"10.5"` and `"10"` too), or cents as a `bigint`: 0.01 to 99,999,999.99. */
  readonly amount: string | bigint;
  /**
   * The merchant's unique key of this refund, 1 to 255 printable ASCII characters. Store it before the call: the same
   * key requests the same refund, another key a second one.
   */
  readonly requestKey: string;
  /** The merchant's identifier, 1 to 255 characters; the answer and events carry it. */
  readonly clientReferenceId?: string | undefined;
  /** For the customer's bank statement: 1 to 80 letters, digits and spaces, or what the profile accepts. */
  readonly softDescriptor?: string | undefined;
}

/** A refund's status (S 3.1): `PENDING`, `AUTHORIZED`, `TERMINAL_FAILED`, or one added since. */
export type RefundStatus = ExistingRefund["paymentStatus"];

/** The state of a requested refund (S 2.2). */
export interface RefundAnswer {
  /** `TERMINAL_FAILED` is final and moves no money. Treat unknown values as not final. */
  readonly paymentStatus: RefundStatus;
  /**
   * The refund's own identifier, which its events carry; `undefined` if the provider answers with the original
   * payment's: correlate by `clientReferenceId` there.
   */
  readonly refundId: string | undefined;
  /** The reference that was sent; `null` if none was. */
  readonly clientReferenceId: string | null;
  /** The reason of the failure. Absent if `recovered`: the provider then sends only the status. */
  readonly errorDetails?: ErrorDetails;
  /** True if an earlier attempt or call with this `requestKey` made the refund. */
  readonly recovered: boolean;
}

/** `POST /v1/refunds` (S 4.1), which its `requestKey` makes idempotent. @throws {ClientError} */
export function refundCall(order: RefundOrder, profile: Profile): Call<RefundAnswer> {
  // JavaScript may pass no order at all.
  const { amount, ...members } = { ...order };
  const { softDescriptor, ...others } = members;
  const validation = validateRefundRequest({
    ...others,
    // The schema has the interface's characters. A provider with others validates them itself.
    ...(profile.refund.softDescriptor === "alphanumeric" && { softDescriptor }),
    // The amount is judged by its text.
    amount: { currency: "USD", value: 1 },
  });
  const cents = parseCents(amount);
  if (!validation.ok || !cents.ok)
    throw invalidRequest("refund", [
      ...(validation.ok ? [] : validation.errors),
      ...(cents.ok ? [] : [{ pointer: "/amount", keyword: cents.code, message: EXPECTED_AMOUNT }]),
    ]);
  const amountJson = `{"currency":"USD","value":${formatAmount(cents.cents)}}`;
  const { paymentId, clientReferenceId = null } = validation.value;
  const sent = { paymentId, clientReferenceId };
  return {
    name: "refund",
    method: "POST",
    path: "/v1/refunds",
    body: `{"amount":${amountJson},${JSON.stringify(members).slice(1)}`,
    isIdempotent: true,
    validate: (value) => readRefund(value, sent, profile),
    onRefusal: (failure) => readDuplicate(failure, sent, profile),
  };
}

const EXPECTED_AMOUNT = 'must be text such as "10.50", or cents as a bigint';

/** A JavaScript number is refused: it may have been another amount before it became a binary fraction. */
function parseCents(amount: unknown): ReturnType<typeof parseAmount> {
  const text = typeof amount === "bigint" ? formatAmount(amount) : amount;
  if (typeof text === "string") return parseAmount(text);
  return { ok: false, code: "CS_AMOUNT_NOT_A_NUMBER" };
}

/** The members of a request that its answer is compared with. */
interface Sent {
  readonly paymentId: string;
  readonly clientReferenceId: string | null;
}

const OF_ANOTHER = { pointer: "", keyword: "const", message: "must answer this request" };

function readRefund(value: unknown, sent: Sent, profile: Profile): Validation<RefundAnswer> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  // For a request without a reference, a provider may answer null or nothing (S 2.2).
  const validation = validateRefund(isObject ? { clientReferenceId: null, ...value } : value);
  if (!validation.ok) return validation;
  const refund = validation.value;
  // A connection that answers twice may deliver the answer to another request.
  const hasOriginalId = profile.refund.responsePaymentId === "original";
  const isOfAnother =
    refund.clientReferenceId !== sent.clientReferenceId ||
    (hasOriginalId && refund.paymentId !== sent.paymentId);
  if (isOfAnother) return { ok: false, errors: [OF_ANOTHER] };
  // A status that is not known yet may have a reason too.
  const details = validateErrorDetails("errorDetails" in refund ? refund.errorDetails : undefined);
  // S 3.1 calls the state FAILED, its value is TERMINAL_FAILED. The reader accepts any value.
  const status: RefundStatus = refund.paymentStatus;
  return {
    ok: true,
    value: {
      ...answerOf(refund.paymentId, sent),
      paymentStatus: status === "FAILED" ? "TERMINAL_FAILED" : status,
      ...(details.ok && { errorDetails: details.value }),
      recovered: false,
    },
  };
}

/**
 * Reads the refusal of a used `requestKey`. A refund of the same request is this refund: an attempt whose answer was
 * lost made it (S 4.1, rule 1). Any other is an error, never a reason for a new key.
 */
function readDuplicate(failure: Failure, sent: Sent, profile: Profile): Result<RefundAnswer> {
  const { status, errorCode, existing } = failure;
  const isConflict = status === 409 || status === profile.statuses.duplicateKey;
  // A 409 without a code is a duplicate too, since nothing else of this call is a 409 (S 4.1).
  const isDuplicate =
    existing !== undefined ||
    errorCode === "DUPLICATE_REQUEST_KEY" ||
    (errorCode === undefined && status === 409);
  if (!isConflict || !isDuplicate) return failed(failure);
  if (existing?.sameRequest !== true) return failed({ ...failure, code: "CS_REQUEST_KEY_USED" });
  const { paymentId, paymentStatus } = existing;
  return { ok: true, value: { ...answerOf(paymentId, sent), paymentStatus, recovered: true } };
}

function answerOf(
  id: string,
  { paymentId, clientReferenceId }: Sent,
): Pick<RefundAnswer, "refundId" | "clientReferenceId"> {
  return { refundId: id === paymentId ? undefined : id, clientReferenceId };
}
