import type { Check, ProviderCheck } from "./check.ts";
import { attemptAnswers } from "./checks/provider/attempt-answers.ts";
import { attemptDeadline } from "./checks/provider/attempt-deadline.ts";
import { amounts } from "./checks/provider/amounts.ts";
import { bodies } from "./checks/provider/bodies.ts";
import { commonHeaders } from "./checks/provider/common-headers.ts";
import { customers } from "./checks/provider/customers.ts";
import { deliveries } from "./checks/provider/deliveries.ts";
import { invalidRequests } from "./checks/provider/invalid-requests.ts";
import { overRefund } from "./checks/provider/over-refund.ts";
import { refundEdges } from "./checks/provider/refund-edges.ts";
import { refundEvents } from "./checks/provider/refund-events.ts";
import { refundStates } from "./checks/provider/refund-states.ts";
import { requestKeys } from "./checks/provider/request-keys.ts";
import { retries } from "./checks/provider/retries.ts";
import { retryAfter } from "./checks/provider/retry-after.ts";
import { secrets } from "./checks/provider/secrets.ts";
import { selection } from "./checks/provider/selection.ts";
import { slowReceivers } from "./checks/provider/slow-receivers.ts";
import { subscriptions } from "./checks/provider/subscriptions.ts";
import { tokenExpiry } from "./checks/provider/token-expiry.ts";
import { tokens } from "./checks/provider/tokens.ts";
import { unsubscribing } from "./checks/provider/unsubscribing.ts";
import { validRequests } from "./checks/provider/valid-requests.ts";
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
