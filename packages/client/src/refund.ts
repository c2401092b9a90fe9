import type {
  ErrorDetails,
  ExistingRefund,
  InvalidMember,
  Refund,
  SchemaError,
  Validation,
} from "@countersign/schemas";
import type { Profile } from "@countersign/schemas/profiles";
import { validateErrorDetails, validateRefund } from "@countersign/schemas/readers";
import { validateRefundRequest } from "@countersign/schemas/writers";
import { formatAmount, parseAmount, type AmountErrorCode } from "@countersign/rules";
import type { RefusalReading } from "./answers.ts";
import type { Prepared } from "./calls.ts";
import { failed, invalidMembers, type Result } from "./failures.ts";

/** A refund's status (S 3.1): `PENDING`, `AUTHORIZED`, `TERMINAL_FAILED`, or one added since. */
export type RefundStatus = ExistingRefund["paymentStatus"];

/** The state of a requested refund (S 2.2). */
export interface RefundAnswer {
  /** `TERMINAL_FAILED` is final and moves no money. Treat unknown values as not final. */
  readonly paymentStatus: RefundStatus;
  /**
   * The refund's own identifier, which its events carry; `undefined` if the provider answers with
   * the original payment's: correlate by `clientReferenceId` there.
   */
  readonly refundId: string | undefined;
  /** `paymentId` of the answer: the refund's or the original payment's, as the profile defines it. */
  readonly paymentId: string;
  /** The payment that is refunded. */
  readonly originalPaymentId: string;
  readonly requestKey: string;
  /** The reference that was sent; `null` if none was. */
  readonly clientReferenceId: string | null;
  /** The reason of the failure. Absent if `recovered`: the provider then sends only the status. */
  readonly errorDetails?: ErrorDetails;
  /** True if an earlier attempt, whose answer was lost, made this refund. */
  readonly recovered: boolean;
}

/** A requested refund (S 4.1), in US dollars. */
export interface RefundOrder {
  /** The original (debit) payment. */
  readonly paymentId: string;
  /** `"10.50"`, or cents as a `bigint`. */
  readonly amount: string | bigint;
  /**
   * The merchant's unique key of this refund, 1 to 255 printable ASCII characters. Store it before the
   * call: a call with the same key requests the same refund, a call with another key a second one.
   */
  readonly requestKey: string;
  /** The merchant's identifier, 1 to 255 characters; returned unchanged. */
  readonly clientReferenceId?: string | undefined;
  /** For the customer's bank statement: 1 to 80 letters, digits and spaces. */
  readonly softDescriptor?: string | undefined;
}

const PRINTABLE_ASCII = /^[ -~]+$/;

/** The JSON of a refund request, its amount with exactly two digits after the separator. */
export function refundBody(
  order: RefundOrder,
  profile: Profile,
):
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly errors: readonly InvalidMember[] } {
  const { paymentId, amount, requestKey, clientReferenceId, softDescriptor } = order;
  const written = amountText(amount, profile.amount);
  const { softDescriptor: alphabet } = profile.refund;
  const isOwnAlphabet =
    alphabet === "printable-ascii" &&
    typeof softDescriptor === "string" &&
    softDescriptor.length <= profile.limits.softDescriptor &&
    PRINTABLE_ASCII.test(softDescriptor);
  const members = {
    paymentId,
    requestKey,
    ...(clientReferenceId !== undefined && { clientReferenceId }),
    ...(softDescriptor !== undefined && { softDescriptor }),
  };
  const validation = validateRefundRequest({
    ...members,
    // Validated above, by its text.
    amount: { currency: "USD", value: 1 },
    ...(isOwnAlphabet && { softDescriptor: "judged above" }),
  });
  if (validation.ok && written.ok) {
    const amountJson = `{"currency":"USD","value":${written.text}}`;
    return { ok: true, text: `{"amount":${amountJson},${JSON.stringify(members).slice(1)}` };
  }
  const errors = validation.ok ? [] : invalidMembers(validation.errors);
  return {
    ok: false,
    errors: written.ok ? errors : [...errors, { pointer: "/amount", code: written.code }],
  };
}

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
  if (refund.clientReferenceId !== (clientReferenceId ?? null))
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
): Result<RefundAnswer> {
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
    return failed({ code: "CS_REQUEST_KEY_USED", refusal, existing });
  }
  return failed({ code: "CS_CALL_REFUSED", refusal });
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

/**
 * An amount of dollars as it is written into a request: exactly two digits after the separator
 * (S 2.1), whatever the caller wrote.
 *
 * @param amount `"10.50"` (`"10.5"` and `"10"` too), or cents as a `bigint`. A number is refused: it
 *   may have been another amount before it became a binary fraction.
 */
function amountText(
  amount: string | bigint,
  { minimumCents, maximumCents }: Pick<Profile["amount"], "minimumCents" | "maximumCents">,
):
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly code: AmountErrorCode } {
  const cents = centsOf(amount);
  if (!cents.ok) return cents;
  if (cents.cents < minimumCents) return { ok: false, code: "CS_AMOUNT_TOO_SMALL" };
  if (cents.cents > maximumCents) return { ok: false, code: "CS_AMOUNT_TOO_LARGE" };
  return { ok: true, text: formatAmount(cents.cents) };
}

function centsOf(amount: unknown): ReturnType<typeof parseAmount> {
  if (typeof amount === "bigint") return { ok: true, cents: amount };
  if (typeof amount === "string") return parseAmount(amount);
  return { ok: false, code: "CS_AMOUNT_NOT_A_NUMBER" };
}
