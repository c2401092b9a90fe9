import { eligibleAt, type Hold } from "./hold.ts";

export type RefundStatus = "PENDING" | "AUTHORIZED" | "TERMINAL_FAILED";

/**
 * The state of the original payment (S 3.1). `failed` includes canceled; a debit that may be retried is `processing`.
 * `covered`: the service pays the merchant although the customer was not debited, at any age, also after settlement.
 */
export type Debit =
  | { readonly state: "processing" }
  | { readonly state: "settled"; /** ms */ readonly settledAt: number }
  | { readonly state: "failed" }
  | { readonly state: "covered" };

/** A refund's state (S 3.1), with exactly the members that exist in it. */
export type Refund =
  | {
      readonly status: "PENDING";
      /** ms; undefined until the original payment settles. */
      readonly eligibleAt: number | undefined;
    }
  | { readonly status: "AUTHORIZED" }
  | { readonly status: "TERMINAL_FAILED"; readonly errorDetails: ErrorDetails };

/** S 2.2, S 7. */
export interface ErrorDetails {
  readonly errorCode: string;
  readonly errorMessage: string;
}

export interface RefundRequest {
  readonly debit: Debit;
  /** The original payment's amount. */
  readonly amountCents: bigint;
  /** Its part that `PENDING` and `AUTHORIZED` refunds hold already. */
  readonly reservedCents: bigint;
  /** The amount asked for, 1 or more. */
  readonly askedCents: bigint;
  /** ms */
  readonly now: number;
  readonly hold: Hold;
}

/**
 * `PAYMENT_ALREADY_REFUNDED`: nothing remains of the payment. `REFUND_AMOUNT_EXCEEDS_REMAINING`: less remains than the
 * request asks for.
 */
export type ReservationErrorCode = "REFUND_AMOUNT_EXCEEDS_REMAINING" | "PAYMENT_ALREADY_REFUNDED";

export type Decision =
  | { readonly ok: true; readonly refund: Refund }
  | { readonly ok: false; readonly code: ReservationErrorCode };

const failed = (errorCode: string, errorMessage: string): Refund =>
  Object.freeze({
    status: "TERMINAL_FAILED",
    errorDetails: Object.freeze({ errorCode, errorMessage }),
  });
const NOT_DEBITED = failed("CUSTOMER_NOT_DEBITED", "The original debit was not successful.");
const RETURNED = failed("REFUND_RETURNED", "The receiving bank returned the refund.");
const AUTHORIZED: Refund = Object.freeze({ status: "AUTHORIZED" });

/**
 * Decides a refund request (S 3.1). The debit's failure or cover is judged before the remaining amount: such a request
 * makes a `TERMINAL_FAILED` refund with `CUSTOMER_NOT_DEBITED`, whatever it asks for.
 *
 * @returns The refund in its first state; or, without a refund, `PAYMENT_ALREADY_REFUNDED` if nothing remains, or
 *   `REFUND_AMOUNT_EXCEEDS_REMAINING`.
 * @throws {TypeError} An amount is impossible: `askedCents` below 1, or `reservedCents` outside the payment.
 * @throws {RangeError} The bank calendar does not reach the threshold.
 */
export function decide(request: RefundRequest): Decision {
  const { debit, amountCents, reservedCents, askedCents, now, hold } = request;
  // A refund of less than nothing would make room for others.
  if (askedCents < 1n) throw new TypeError('"askedCents" must be 1 or more');
  if (reservedCents < 0n || reservedCents > amountCents)
    throw new TypeError('"reservedCents" must be from 0 to "amountCents"');
  if (debit.state === "failed" || debit.state === "covered")
    return { ok: true, refund: NOT_DEBITED };
  const remaining = amountCents - reservedCents;
  if (remaining === 0n) return { ok: false, code: "PAYMENT_ALREADY_REFUNDED" };
  if (askedCents > remaining) return { ok: false, code: "REFUND_AMOUNT_EXCEEDS_REMAINING" };
  const refund: Refund = { status: "PENDING", eligibleAt: undefined };
  if (debit.state === "processing") return { ok: true, refund };
  return { ok: true, refund: onSettled(refund, { settledAt: debit.settledAt, now, hold }) };
}

/**
 * Applies the original payment's settlement: a `PENDING` refund gets its threshold, counted from this settlement, and is
 * `AUTHORIZED` if `now` has reached it. Returns `refund` itself if nothing changes.
 *
 * @throws {RangeError} The bank calendar does not reach the threshold.
 */
export function onSettled(
  refund: Refund,
  { settledAt, now, hold }: { settledAt: number } & Pick<RefundRequest, "now" | "hold">,
): Refund {
  if (refund.status !== "PENDING") return refund;
  const threshold = eligibleAt(settledAt, hold);
  const isKnown = refund.eligibleAt === threshold;
  return onTime(isKnown ? refund : { status: "PENDING", eligibleAt: threshold }, now);
}

/**
 * Applies the original payment's failure, or the service's cover of it: a `PENDING` refund fails, however long its
 * threshold has passed. Others stay, because money that has begun to move is not called back. Returns `refund` itself if
 * nothing changes.
 */
export function onFailed(refund: Refund): Refund {
  return refund.status === "PENDING" ? NOT_DEBITED : refund;
}

/** Authorizes a `PENDING` refund whose threshold is reached: `now >= eligibleAt`. Returns `refund` itself otherwise. */
export function onTime(refund: Refund, now: number): Refund {
  const isDue = refund.status === "PENDING" && now >= (refund.eligibleAt ?? Infinity);
  return isDue ? AUTHORIZED : refund;
}

/**
 * Applies a return by the receiving bank: an `AUTHORIZED` refund fails with `REFUND_RETURNED`. Only the
 * sandbox does it, so that a merchant can test for it (S 3.1 has no move out of `AUTHORIZED`). Returns `refund` itself if
 * nothing changes.
 */
export function onReturned(refund: Refund): Refund {
  return refund.status === "AUTHORIZED" ? RETURNED : refund;
}
