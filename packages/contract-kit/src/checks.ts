import type { ProviderCheck } from "./check.ts";
import { amounts, overRefund } from "./checks/provider/amounts.ts";
import { attemptAnswers, attemptDeadline } from "./checks/provider/attempt-answers.ts";
import { calendar } from "./checks/provider/calendar.ts";
import { customers } from "./checks/provider/customers.ts";
import { deliveries, secrets, slowReceivers } from "./checks/provider/deliveries.ts";
import { eventFacts } from "./checks/provider/event-facts.ts";
import { bodies, commonHeaders, httpGrammar } from "./checks/provider/http.ts";
import { refundEdges, refundStates } from "./checks/provider/refund-states.ts";
import { keyScope, requestKeys } from "./checks/provider/request-keys.ts";
import { invalidRequests, validRequests } from "./checks/provider/requests.ts";
import { retries, retryAfter } from "./checks/provider/retries.ts";
import { selection, subscriptions, unsubscribing } from "./checks/provider/subscriptions.ts";
import { rateLimits, tokenExpiry, tokens } from "./checks/provider/tokens.ts";

/** The checks of a provider's service, in the order in which they run. */
export const providerChecks: readonly ProviderCheck[] = [
  commonHeaders,
  httpGrammar,
  tokens,
  tokenExpiry,
  rateLimits,
  bodies,
  validRequests,
  invalidRequests,
  amounts,
  requestKeys,
  keyScope,
  overRefund,
  refundStates,
  refundEdges,
  calendar,
  customers,
  subscriptions,
  unsubscribing,
  deliveries,
  secrets,
  selection,
  eventFacts,
  retries,
  attemptAnswers,
  retryAfter,
  attemptDeadline,
  slowReceivers,
];
