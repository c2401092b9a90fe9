import type { Check, ProviderCheck } from "./check.ts";
import { amounts } from "./provider/amounts.ts";
import { commonHeaders } from "./provider/common-headers.ts";
import { customers } from "./provider/customers.ts";
import { invalidRequests } from "./provider/invalid-requests.ts";
import { overRefund } from "./provider/over-refund.ts";
import { refundStates } from "./provider/refund-states.ts";
import { requestKeys } from "./provider/request-keys.ts";
import { subscriptions } from "./provider/subscriptions.ts";
import { validRequests } from "./provider/valid-requests.ts";

/** The checks of a provider's service, in the order in which they run. */
export const providerChecks: readonly ProviderCheck[] = [
  commonHeaders,
  validRequests,
  invalidRequests,
  amounts,
  requestKeys,
  overRefund,
  refundStates,
  customers,
  subscriptions,
];

/** Every check of the kit. A requirement names those that test it. */
export const checks: readonly Check[] = [...providerChecks];
