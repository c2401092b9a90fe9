import type { Refund } from "./refund.ts";

/**
 * Why an amount cannot be reserved:
 * - `PAYMENT_ALREADY_REFUNDED`: nothing remains of the payment.
 * - `REFUND_AMOUNT_EXCEEDS_REMAINING`: something remains, but less than is asked for.
 */
export type ReservationErrorCode = "REFUND_AMOUNT_EXCEEDS_REMAINING" | "PAYMENT_ALREADY_REFUNDED";

export type Reservation =
  | { readonly ok: true; /** All that is reserved now. */ readonly reservedCents: bigint }
  | { readonly ok: false; readonly code: ReservationErrorCode };

/**
 * Reserves a part of a payment for a refund, so that `PENDING` and `AUTHORIZED` refunds together never
 * exceed it.
 *
 * @throws {TypeError} `askedCents` is below 1, or `reservedCents` is negative or more than `amountCents`.
 */
export function reserve({
  amountCents,
  reservedCents,
  askedCents,
}: {
  readonly amountCents: bigint;
  readonly reservedCents: bigint;
  readonly askedCents: bigint;
}): Reservation {
  // A refund of less than nothing would make room for others.
  if (askedCents < 1n) throw new TypeError('"askedCents" must be 1 or more');
  if (reservedCents < 0n || reservedCents > amountCents)
    throw new TypeError('"reservedCents" must be from 0 to "amountCents"');
  const remaining = amountCents - reservedCents;
  if (remaining === 0n) return { ok: false, code: "PAYMENT_ALREADY_REFUNDED" };
  if (askedCents > remaining) return { ok: false, code: "REFUND_AMOUNT_EXCEEDS_REMAINING" };
  return { ok: true, reservedCents: reservedCents + askedCents };
}

/** The part of its payment that a refund of `cents` holds in its state. */
export function heldCents(refund: Refund, cents: bigint): bigint {
  switch (refund.status) {
    case "PENDING":
    case "AUTHORIZED":
      return cents;
    case "TERMINAL_FAILED":
      return 0n;
    default:
      return refund satisfies never;
  }
}

/**
 * What a step of a refund of `cents` adds to its payment's `reservedCents`: `cents` when it is made
 * and holds them, `-cents` when it fails, 0 otherwise. A state never changes twice into
 * `TERMINAL_FAILED`, so that each amount is released once.
 *
 * @param step `before` is undefined for a refund that is being made.
 */
export function reservationChange(
  step: { readonly before: Refund | undefined; readonly after: Refund },
  cents: bigint,
): bigint {
  const before = step.before === undefined ? 0n : heldCents(step.before, cents);
  return heldCents(step.after, cents) - before;
}
