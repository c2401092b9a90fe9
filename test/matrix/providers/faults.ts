import { answerFaults } from "./answer-faults.ts";
import { attemptFaults } from "./attempt-faults.ts";
import { eventFaults } from "./event-faults.ts";
import type { Broken } from "./fault-kinds.ts";
import { headerFaults } from "./header-faults.ts";
import { inputFaults } from "./input-faults.ts";
import { refundFaults } from "./refund-faults.ts";
import { stateFaults } from "./state-faults.ts";
import { subscriptionFaults } from "./subscription-faults.ts";
import { tokenFaults } from "./token-faults.ts";

/** Services that each break one requirement. */
export const broken: readonly Broken[] = [
  ...refundFaults,
  ...stateFaults,
  ...inputFaults,
  ...headerFaults,
  ...subscriptionFaults,
  ...tokenFaults,
  ...attemptFaults,
  ...eventFaults,
  ...answerFaults,
];
