import type { ProviderCheck, ReceiverCheck, SenderCheck } from "./check.ts";
import { forms, signatureLists } from "./receiver/accepted.ts";
import { alike, leaks } from "./receiver/leaks.ts";
import { bodies, sizes, slowBodies } from "./receiver/bodies.ts";
import { failing, hanging, load } from "./receiver/failing.ts";
import { bypass, forged, overridden, refusals } from "./receiver/forged.ts";
import { genuine, money, shapes } from "./receiver/genuine.ts";
import { connections, encodings, methods } from "./receiver/http.ts";
import { concurrent, duplicates } from "./receiver/once.ts";
import { order } from "./receiver/order.ts";
import { schemas } from "./receiver/schemas.ts";
import { memory, settled } from "./receiver/settled.ts";
import { timestamps } from "./receiver/timestamps.ts";
import { amounts, overRefund } from "./provider/amounts.ts";
import { calendar } from "./provider/calendar.ts";
import { customers } from "./provider/customers.ts";
import { eventFacts } from "./provider/event-facts.ts";
import { bodies as requestBodies, commonHeaders, httpGrammar } from "./provider/http.ts";
import { interfaceCheck } from "./provider/interface-sender.ts";
import { refundEdges, refundStates } from "./provider/refund-states.ts";
import { keyScope, requestKeys } from "./provider/request-keys.ts";
import { invalidRequests, validRequests } from "./provider/requests.ts";
import { selection, subscriptions, unsubscribing } from "./provider/subscriptions.ts";
import { rateLimits, tokenExpiry, tokens } from "./provider/tokens.ts";
import { secrets, waitingAttempts } from "./provider/waiting.ts";
import { attemptAnswers, attemptDeadline, gone } from "./sender/answers.ts";
import { senderCheck } from "./sender/command-sender.ts";
import { deliveries, rotation, slowReceivers } from "./sender/deliveries.ts";
import { certificates, headerInjection } from "./sender/hostile.ts";
import { retries, retryAfter } from "./sender/retries.ts";
import type { SenderScenario } from "./sender/sender.ts";

/** Scenarios for any sender, in their order: 410 comes last, since it may end the deliveries. */
const senderScenarios: readonly SenderScenario[] = [
  deliveries,
  retries,
  attemptAnswers,
  retryAfter,
  attemptDeadline,
  slowReceivers,
  headerInjection,
  certificates,
  gone,
];

/** The checks of any sender of webhooks, in the order in which they run. */
export const senderChecks: readonly SenderCheck[] = [
  ...senderScenarios.filter((one) => one !== gone),
  rotation,
  gone,
].map(senderCheck);

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
  secrets,
  selection,
  eventFacts,
  waitingAttempts,
  ...senderScenarios.map(interfaceCheck),
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
