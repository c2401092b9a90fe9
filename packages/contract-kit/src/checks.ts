import type { ProviderCheck, ReceiverCheck } from "./check.ts";
import { forms, signatureLists } from "./receiver/accepted.ts";
import { alike, leaks } from "./receiver/leaks.ts";
import { bodies, sizes, slowBodies } from "./receiver/bodies.ts";
import { failing, hanging, load } from "./receiver/failing.ts";
import { bypass, forged, overridden, refusals, timestamps } from "./receiver/forged.ts";
import { genuine, money, shapes } from "./receiver/genuine.ts";
import { connections, encodings, methods } from "./receiver/http.ts";
import { concurrent, duplicates } from "./receiver/once.ts";
import { order } from "./receiver/order.ts";
import { schemas } from "./receiver/schemas.ts";
import { memory, settled } from "./receiver/settled.ts";
import { amounts, overRefund } from "./checks/provider/amounts.ts";
import { attemptAnswers, attemptDeadline } from "./checks/provider/attempt-answers.ts";
import { calendar } from "./checks/provider/calendar.ts";
import { customers } from "./checks/provider/customers.ts";
import { deliveries, secrets, slowReceivers } from "./checks/provider/deliveries.ts";
import { eventFacts } from "./checks/provider/event-facts.ts";
import { bodies as requestBodies, commonHeaders, httpGrammar } from "./checks/provider/http.ts";
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
  requestBodies,
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

/** The checks of a merchant's receiver, in the order in which they run. */
export const receiverChecks: readonly ReceiverCheck[] = [
  genuine,
  shapes,
  money,
  forms,
  signatureLists,
  forged,
  bypass,
  overridden,
  timestamps,
  refusals,
  alike,
  duplicates,
  concurrent,
  failing,
  order,
  schemas,
  bodies,
  sizes,
  encodings,
  methods,
  connections,
  load,
  leaks,
  slowBodies,
  hanging,
  settled,
  memory,
];
