import type { Check, ProviderCheck } from "./check.ts";
import { attemptAnswers } from "./provider/attempt-answers.ts";
import { attemptDeadline } from "./provider/attempt-deadline.ts";
import { amounts } from "./provider/amounts.ts";
import { bodies } from "./provider/bodies.ts";
import { commonHeaders } from "./provider/common-headers.ts";
import { customers } from "./provider/customers.ts";
import { deliveries } from "./provider/deliveries.ts";
import { invalidRequests } from "./provider/invalid-requests.ts";
import { overRefund } from "./provider/over-refund.ts";
import { refundEdges } from "./provider/refund-edges.ts";
import { refundEvents } from "./provider/refund-events.ts";
import { refundStates } from "./provider/refund-states.ts";
import { requestKeys } from "./provider/request-keys.ts";
import { retries } from "./provider/retries.ts";
import { retryAfter } from "./provider/retry-after.ts";
import { secrets } from "./provider/secrets.ts";
import { selection } from "./provider/selection.ts";
import { slowReceivers } from "./provider/slow-receivers.ts";
import { subscriptions } from "./provider/subscriptions.ts";
import { tokenExpiry } from "./provider/token-expiry.ts";
import { tokens } from "./provider/tokens.ts";
import { unsubscribing } from "./provider/unsubscribing.ts";
import { validRequests } from "./provider/valid-requests.ts";
import { receiverChecks } from "./checks/receiver/receiver-checks.ts";

/** The checks of a provider's service, in the order in which they run. */
export const providerChecks: readonly ProviderCheck[] = [
  commonHeaders,
  tokens,
  tokenExpiry,
  bodies,
  validRequests,
  invalidRequests,
  amounts,
  requestKeys,
  overRefund,
  refundStates,
  refundEdges,
  customers,
  subscriptions,
  unsubscribing,
  deliveries,
  secrets,
  selection,
  refundEvents,
  retries,
  attemptAnswers,
  retryAfter,
  attemptDeadline,
  slowReceivers,
];

/** Every check of the kit. A requirement names those that test it. */
export const checks: readonly Check[] = [...providerChecks, ...receiverChecks];
