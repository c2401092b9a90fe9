import type { RefundStatus } from "./refund.ts";
import type { Transition } from "./transition.ts";

export type RefundTrigger = "request" | "settled" | "time" | "failed" | "covered" | "returned";

export type RefundCondition =
  | "the payment failed or is covered"
  | "the payment is processing, or settled and now < eligibleAt"
  | "the payment is settled and now >= eligibleAt"
  | "now < eligibleAt"
  | "now >= eligibleAt";

/** Every move of a refund (S 3.1). Anything else changes nothing. */
export const refundTransitions: readonly Transition<
  RefundStatus,
  RefundTrigger,
  RefundCondition
>[] = [
  {
    from: undefined,
    trigger: "request",
    condition: "the payment failed or is covered",
    to: "TERMINAL_FAILED",
    effect: "CUSTOMER_NOT_DEBITED; refund.failed",
  },
  {
    from: undefined,
    trigger: "request",
    condition: "the payment is processing, or settled and now < eligibleAt",
    to: "PENDING",
    effect: "reserves its amount; refund.pending",
  },
  {
    from: undefined,
    trigger: "request",
    condition: "the payment is settled and now >= eligibleAt",
    to: "AUTHORIZED",
    effect: "reserves its amount; refund.authorized",
  },
  {
    from: "PENDING",
    trigger: "failed",
    condition: undefined,
    to: "TERMINAL_FAILED",
    effect: "CUSTOMER_NOT_DEBITED, releases its amount; refund.failed",
  },
  {
    from: "PENDING",
    trigger: "covered",
    condition: undefined,
    to: "TERMINAL_FAILED",
    effect: "CUSTOMER_NOT_DEBITED, releases its amount; refund.failed",
  },
  {
    from: "PENDING",
    trigger: "settled",
    condition: "now < eligibleAt",
    to: "PENDING",
    effect: "eligibleAt counts from this settlement",
  },
  {
    from: "PENDING",
    trigger: "settled",
    condition: "now >= eligibleAt",
    to: "AUTHORIZED",
    effect: "refund.authorized",
  },
  {
    from: "PENDING",
    trigger: "time",
    condition: "now >= eligibleAt",
    to: "AUTHORIZED",
    effect: "refund.authorized",
  },
  {
    from: "AUTHORIZED",
    trigger: "returned",
    condition: undefined,
    to: "TERMINAL_FAILED",
    effect: "REFUND_RETURNED, releases its amount; refund.failed",
  },
];
