import type { Routes } from "@countersign/service";
import type { Parts } from "./parts.ts";
import { getClock, putClock } from "./routes/clock.ts";
import {
  getCustomers,
  postCustomer,
  postCustomerMove,
  postLink,
  postUnlink,
} from "./routes/customers.ts";
import {
  getDeliveries,
  postReplay,
  postReplayFailed,
  postReplaySubscription,
} from "./routes/deliveries.ts";
import { getEvents, postEvent } from "./routes/events.ts";
import { getFaults, putFaults } from "./routes/faults.ts";
import { listMerchants, postMerchant } from "./routes/merchants.ts";
import {
  getPayments,
  postAuthorize,
  postCover,
  postFail,
  postPayment,
  postReturn,
  postSettle,
} from "./routes/payments.ts";
import { postReset } from "./routes/reset.ts";
import { getSubscriptions, postResume } from "./routes/subscriptions.ts";

/** The controls, each working on the namespace of the call's token. */
export function controls(parts: Parts): Routes {
  const customer = "/sandbox/customers/:customerId";
  const payment = "/sandbox/payments/:paymentId";
  return {
    "/sandbox/merchants": [listMerchants, postMerchant],
    "/sandbox/customers": [getCustomers, postCustomer],
    [`${customer}/link`]: [postLink(parts.accountTypes)],
    [`${customer}/unlink`]: [postUnlink],
    [`${customer}/activate`]: [postCustomerMove("activate")],
    [`${customer}/deactivate`]: [postCustomerMove("deactivate")],
    "/sandbox/payments": [getPayments, postPayment],
    [`${payment}/authorize`]: [postAuthorize],
    [`${payment}/settle`]: [postSettle],
    [`${payment}/fail`]: [postFail],
    [`${payment}/cover`]: [postCover],
    [`${payment}/return`]: [postReturn],
    "/sandbox/clock": [getClock, putClock(parts)],
    "/sandbox/events": [getEvents, postEvent],
    "/sandbox/deliveries": [getDeliveries],
    "/sandbox/deliveries/replay": [postReplayFailed],
    "/sandbox/deliveries/:deliveryId/replay": [postReplay],
    "/sandbox/subscriptions": [getSubscriptions],
    "/sandbox/subscriptions/:subscriptionKey/replay": [postReplaySubscription],
    "/sandbox/subscriptions/:subscriptionKey/resume": [postResume],
    "/sandbox/faults": [getFaults(parts), putFaults(parts)],
    "/sandbox/reset": [postReset(parts)],
  };
}
