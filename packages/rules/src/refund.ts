import { eligibleAt, type Hold } from "./hold.ts";
import { reserve, type ReservationErrorCode } from "./reservation.ts";

export type RefundStatus = "PENDING" | "AUTHORIZED" | "TERMINAL_FAILED";

/**
 * What is known of the original payment (S 3.1). `failed` includes canceled; a debit that may still be
 * tried again is `processing`. `covered`: the service pays the merchant although the customer was not
 * debited; at any age, also after settlement.
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

export type Decision =
  | { readonly ok: true; readonly refund: Refund }
  | { readonly ok: false; readonly code: ReservationErrorCode };

const NOT_DEBITED: Refund = Object.freeze({
  status: "TERMINAL_FAILED",
  errorDetails: Object.freeze({
    errorCode: "CUSTOMER_NOT_DEBITED",
    errorMessage: "The original debit was not successful.",
  }),
});
const RETURNED: Refund = Object.freeze({
  status: "TERMINAL_FAILED",
  errorDetails: Object.freeze({
    errorCode: "REFUND_RETURNED",
    errorMessage: "The receiving bank returned the refund.",
  }),
});
const AUTHORIZED: Refund = Object.freeze({ status: "AUTHORIZED" });

/**
 * Decides a refund request (S 3.1, rows "request made"). The debit's failure or cover is judged
 * before what remains of its amount: such a request makes a `TERMINAL_FAILED` refund with
 * `CUSTOMER_NOT_DEBITED`, whatever it asks for.
 *
 * @returns The refund in its first state, or, where more is asked than remains,
 *   `PAYMENT_ALREADY_REFUNDED` (nothing remains) or `REFUND_AMOUNT_EXCEEDS_REMAINING`: no refund then.
 * @throws {TypeError} An amount is impossible: `askedCents` below 1, or `reservedCents` outside the payment.
 * @throws {RangeError} The bank calendar does not reach the threshold.
 */
export function decide(request: RefundRequest): Decision {
  const { debit, amountCents, reservedCents, askedCents, now, hold } = request;
  const reservation = reserve({ amountCents, reservedCents, askedCents });
  if (debit.state === "failed" || debit.state === "covered")
    return { ok: true, refund: NOT_DEBITED };
  if (!reservation.ok) return reservation;
  const held: Refund = { status: "PENDING", eligibleAt: undefined };
  return { ok: true, refund: onDebit(held, { debit, now, hold }) };
}

/**
 * The refund once the original payment is known to have settled: a `PENDING` one gets its threshold,
 * counted from this settlement, and is `AUTHORIZED` where `now` has reached it. Others stay.
 *
 * @returns `refund` itself where nothing changes.
 * @throws {RangeError} The bank calendar does not reach the threshold.
 */
export function onSettled(
  refund: Refund,
  {
    settledAt,
    now,
    hold,
  }: { readonly settledAt: number; readonly now: number; readonly hold: Hold },
): Refund {
  if (refund.status !== "PENDING") return refund;
  const threshold = eligibleAt(settledAt, hold);
  const settled =
    refund.eligibleAt === threshold
      ? refund
      : ({ status: "PENDING", eligibleAt: threshold } as const);
  return onTime(settled, now);
}

/**
 * The refund once the original payment has failed: a `PENDING` one fails, however long its threshold
 * has passed. Others stay: money that has begun to move is not called back.
 *
 * @returns `refund` itself where nothing changes.
 */
export function onFailed(refund: Refund): Refund {
  return refund.status === "PENDING" ? NOT_DEBITED : refund;
}

/**
 * The refund once the original payment has fallen into the service's cover: as `onFailed`.
 *
 * @returns `refund` itself where nothing changes.
 */
export function onCovered(refund: Refund): Refund {
  return onFailed(refund);
}

/**
 * The refund at `now` (ms): a `PENDING` one whose threshold is reached, `now >= eligibleAt`, is
 * `AUTHORIZED`.
 *
 * @returns `refund` itself where nothing changes.
 */
export function onTime(refund: Refund, now: number): Refund {
  const isDue = refund.status === "PENDING" && now >= (refund.eligibleAt ?? Infinity);
  return isDue ? AUTHORIZED : refund;
}

/**
 * The refund once the receiving bank has returned the credit: an `AUTHORIZED` one fails with
 * `REFUND_RETURNED` where the profile knows late returns, the only move out of `AUTHORIZED`.
 *
 * @returns `refund` itself where nothing changes.
 */
export function onReturned(
  refund: Refund,
  { lateReturn }: { readonly lateReturn: boolean },
): Refund {
  return lateReturn && refund.status === "AUTHORIZED" ? RETURNED : refund;
}

/**
 * The refund at `now`, given all that is known of the original payment by then. Where its failure and
 * the threshold fall on one instant, the failure is judged first: no money leaves.
 *
 * @returns `refund` itself where nothing changes.
 * @throws {RangeError} The bank calendar does not reach the threshold.
 */
export function onDebit(
  refund: Refund,
  { debit, now, hold }: { readonly debit: Debit; readonly now: number; readonly hold: Hold },
): Refund {
  switch (debit.state) {
    case "failed":
    case "covered":
      return onFailed(refund);
    case "settled":
      return onSettled(refund, { settledAt: debit.settledAt, now, hold });
    case "processing":
      return refund;
    default:
      return debit satisfies never;
  }
}
