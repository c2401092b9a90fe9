import type { ErrorDetails, ExistingRefund } from "@countersign/schemas";

/** A refund's status (S 3.1): `PENDING`, `AUTHORIZED`, `TERMINAL_FAILED`, or one added since. */
export type RefundStatus = ExistingRefund["paymentStatus"];

/** The state of a requested refund (S 2.2). */
export interface RefundAnswer {
  /** `TERMINAL_FAILED` is final and moves no money. Take a value that is not known here as not final. */
  readonly paymentStatus: RefundStatus;
  /**
   * The refund's own identifier, which its events carry; `undefined` where the provider answers with
   * the original payment's: correlate by `clientReferenceId` there.
   */
  readonly refundId: string | undefined;
  /** `paymentId` as the provider's profile has it: the refund's own, or the original payment's. */
  readonly paymentId: string;
  /** The payment that is refunded. */
  readonly originalPaymentId: string;
  readonly requestKey: string;
  /** As it was sent; `null` where none was. */
  readonly clientReferenceId: string | null;
  /** The reason of the failure. Absent if `recovered`: the provider then sends only the status. */
  readonly errorDetails?: ErrorDetails;
  /** An attempt whose answer was lost, in this call or before it, has made this refund. */
  readonly recovered: boolean;
}
