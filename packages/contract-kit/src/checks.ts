import type { Check, ProviderCheck } from "./check.ts";
import { amounts } from "./provider/amounts.ts";
import { bodies } from "./provider/bodies.ts";
import { commonHeaders } from "./provider/common-headers.ts";
import { customers } from "./provider/customers.ts";
import { invalidRequests } from "./provider/invalid-requests.ts";
import { overRefund } from "./provider/over-refund.ts";
import { refundEdges } from "./provider/refund-edges.ts";
import { refundStates } from "./provider/refund-states.ts";
import { requestKeys } from "./provider/request-keys.ts";
import { subscriptions } from "./provider/subscriptions.ts";
import { unsubscribing } from "./provider/unsubscribing.ts";
import { validRequests } from "./provider/valid-requests.ts";

/** The checks of a provider's service, in the order in which they run. */
export const providerChecks: readonly ProviderCheck[] = [
  commonHeaders,
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
];

/** Every check of the kit. A requirement names those that test it. */
export const checks: readonly Check[] = [...providerChecks];
