import type { ProviderCheck, ReceiverCheck, SenderCheck } from "./check.ts";
import { forms, signatureLists } from "./receiver/accepted.ts";
import { leaks } from "./receiver/leaks.ts";
import { bodies, sizes, slowBodies } from "./receiver/bodies.ts";
import { failing, hanging } from "./receiver/failing.ts";
import { bypass } from "./receiver/bypass.ts";
import { forged, overridden } from "./receiver/forged.ts";
import { alike, refusals } from "./receiver/refusals.ts";
import { genuine } from "./receiver/genuine.ts";
import { money } from "./receiver/money.ts";
import { prototypes, shapes, unknownTypes } from "./receiver/shapes.ts";
import { connections, encodings, methods } from "./receiver/http.ts";
import { distinct } from "./receiver/distinct.ts";
import { concurrent, duplicates, load } from "./receiver/once.ts";
import { order } from "./receiver/order.ts";
import { reconciled } from "./receiver/reconciled.ts";
import { alive, memory, settled } from "./receiver/settled.ts";
import { timestamps } from "./receiver/timestamps.ts";
import { amounts, overRefund } from "./provider/amounts.ts";
import { calendar } from "./provider/calendar.ts";
import { customers } from "./provider/customers.ts";
import { eventFacts } from "./provider/event-facts.ts";
import { bodies as requestBodies, commonHeaders } from "./provider/http.ts";
import { interfaceCheck } from "./provider/interface-sender.ts";
import { refundEdges, refundStates } from "./provider/refund-states.ts";
import { keyScope, requestKeys } from "./provider/request-keys.ts";
import { invalidRequests, validRequests } from "./provider/requests.ts";
import { subscriptions, unsubscribing } from "./provider/subscriptions.ts";
import { rateLimits, tokenExpiry, tokens } from "./provider/tokens.ts";
import { secrets, waitingAttempts } from "./provider/waiting.ts";
import { attemptAnswers, attemptDeadline, gone } from "./sender/answers.ts";
import { senderCheck } from "./sender/command-sender.ts";
import {
  certificates,
  deliveries,
  headerInjection,
  rotation,
  slowReceivers,
} from "./sender/deliveries.ts";
import { retries } from "./sender/retries.ts";
import { retryAfter } from "./sender/retry-after.ts";
import type { SenderScenario } from "./sender/tested-sender.ts";

const senderScenarios: readonly SenderScenario[] = [
  deliveries,
  retries,
  attemptAnswers,
  retryAfter,
  attemptDeadline,
  slowReceivers,
  headerInjection,
  certificates,
];

/** The checks of any sender of webhooks, in the order in which they run: 410 may end its deliveries, so it comes last. */
export const senderChecks: readonly SenderCheck[] = [...senderScenarios, rotation, gone].map(
  senderCheck,
);

/** The checks of a provider's service, in the order in which they run. */
export const providerChecks: readonly ProviderCheck[] = [
  commonHeaders,
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
  secrets,
  eventFacts,
  waitingAttempts,
  ...[...senderScenarios, gone].map(interfaceCheck),
];

/** The checks of a merchant's receiver, in the order in which they run. */
export const receiverChecks: readonly ReceiverCheck[] = [
  genuine,
  forged,
  bypass,
  overridden,
  refusals,
  alike,
  duplicates,
  distinct,
  concurrent,
  failing,
  load,
  unknownTypes,
  prototypes,
  shapes,
  money,
  forms,
  signatureLists,
  order,
  bodies,
  sizes,
  encodings,
  methods,
  connections,
  slowBodies,
  timestamps,
  reconciled,
  settled,
  memory,
  // A receiver that hangs with its handler answers no more.
  hanging,
  leaks,
  alive,
];
