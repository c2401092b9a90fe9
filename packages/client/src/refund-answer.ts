import type { ErrorDetails, ExistingRefund } from "@countersign/schemas";

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
  /** As sent; `null` if it was not sent. */
  readonly clientReferenceId: string | null;
  /** The reason of the failure. Absent if `recovered`: the provider then sends only the status. */
  readonly errorDetails?: ErrorDetails;
  /** True if an earlier attempt, whose answer was lost, made this refund. */
  readonly recovered: boolean;
}
