import type { PassedOverRefund } from "../use-cases/refunds.ts";
import type { SettledAttempt } from "./settled-attempt.ts";

/** Is told what the delivery of events comes to: for logs, metrics and the sandbox's stream. */
export interface DeliveryObserver {
  /** An attempt is recorded. */
  attempted?(attempt: SettledAttempt): void;
  /** A subscription failed often and long enough to be paused. */
  paused?(subscriptionKey: string): void;
  /** A due refund cannot be moved. It is tried again a minute later; the others move. */
  passedOver?(refund: PassedOverRefund): void;
  /** The store did not answer; the work is done again later. */
  failed?(error: unknown): void;
}
