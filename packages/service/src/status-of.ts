import type { Profile } from "@countersign/schemas/profiles";
import { errorCodes, type ErrorCode, type ErrorCodeEntry } from "./error-codes.ts";

/** The status that a profile answers a code with: it moves some of the registry's. */
export function statusOf(statuses: Profile["statuses"], code: ErrorCode): number {
  const { status = 500 }: ErrorCodeEntry = errorCodes[code];
  return movedStatuses(statuses)[code] ?? status;
}

/** The statuses that a profile decides, by their codes. */
export function movedStatuses(
  statuses: Profile["statuses"],
): Readonly<Partial<Record<ErrorCode, number>>> {
  return {
    DUPLICATE_REQUEST_KEY: statuses.duplicateKey,
    REFUND_AMOUNT_EXCEEDS_REMAINING: statuses.business,
    PAYMENT_ALREADY_REFUNDED: statuses.business,
    PAYMENT_NOT_REFUNDABLE: statuses.business,
    SUBSCRIPTION_LIMIT_REACHED: statuses.business,
    INSUFFICIENT_SCOPE: statuses.forbidden,
  };
}
