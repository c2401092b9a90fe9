import type { Profile } from "@countersign/schemas/profiles";
import { sendingProviderOf } from "@countersign/schemas/provider-of";
import { quick } from "../../packages/contract-kit/test/provider/open-target.ts";
import { type Plant, type ProviderFaults, textOf } from "./edits.ts";

/** Runs with another profile than the one that it promises. */
const serving = (change: (profile: Profile) => Partial<Profile>) => (): Plant => ({
  service: { profile: { ...quick, ...change(quick) } },
});

/** A service with settings that are not those of its profile. */
export const serviceFaults: ProviderFaults = {
  "hold-sunday-holiday": {
    fails: "P-REFUND-CALENDAR",
    breaks: "S 3.1: a holiday on a Sunday does not close the Monday after it.",
    plant: serving(({ hold }) => ({ hold: { ...hold, open: ["2027-07-05"] } })),
  },
  "hold-saturday-holiday": {
    fails: "P-REFUND-CALENDAR",
    breaks: "S 3.1: a holiday on a Saturday closes the Friday, which only offices do.",
    plant: serving(({ hold }) => ({ hold: { ...hold, closed: ["2027-06-18", "2027-12-24"] } })),
  },
  "hold-columbus-day": {
    fails: "P-REFUND-CALENDAR",
    breaks: "S 3.1: Columbus Day is missing from the calendar.",
    plant: serving(({ hold }) => ({ hold: { ...hold, open: ["2027-10-11", "2028-10-09"] } })),
  },
  "hold-thanksgiving-last": {
    fails: "P-REFUND-CALENDAR",
    breaks: "S 3.1: Thanksgiving is the last Thursday of November, also of five.",
    plant: serving(({ hold }) => ({
      hold: { ...hold, open: ["2028-11-23"], closed: ["2028-11-30"] },
    })),
  },
  "hold-two-days": {
    fails: "P-REFUND-CALENDAR",
    breaks: "S 3.1, S 8: refunds are held two business days instead of three.",
    plant: serving(({ hold }) => ({ hold: { ...hold, businessDays: 2 } })),
  },
  "hold-from-recording": {
    fails: "P-REFUND-CALENDAR",
    breaks: "S 3.1: the hold counts from when the settlement was recorded: it is too long.",
    plant: () => ({
      state: (call, next) =>
        next({ ...call, body: textOf(call.body).replace(/,"settledAt":"[^"]*"/, "") }),
    }),
  },
  "retry-even": {
    fails: "P-EVENT-BACKOFF",
    breaks: "S 6.6: retries come every five seconds, which keeps a failing receiver down.",
    plant: serving(({ provider }) => {
      const { provider: document, sending } = sendingProviderOf({ provider });
      const scheduleSeconds = sending.scheduleSeconds.map((_step, index) => (index === 0 ? 0 : 5));
      return { provider: { ...document, sending: { ...sending, scheduleSeconds } } };
    }),
  },
  "limit-one-more": {
    fails: "P-SUBSCRIBE-LIMIT",
    breaks: "S 8: a merchant may have one subscription more than the limit.",
    plant: serving(({ subscription }) => ({
      subscription: { ...subscription, maxPerMerchant: subscription.maxPerMerchant + 1 },
    })),
  },
  "retry-last-missing": {
    fails: "P-EVENT-RETRY",
    breaks: "The last attempt of the schedule is never made: an outage of 60 hours loses events.",
    plant: serving((profile) => {
      const { provider, sending } = sendingProviderOf(profile);
      const scheduleSeconds = sending.scheduleSeconds.slice(0, -1);
      return { provider: { ...provider, sending: { ...sending, scheduleSeconds } } };
    }),
  },
  "one-at-a-time": {
    fails: "P-EVENT-ISOLATED",
    breaks: "One attempt at a time goes to a host: a slow receiver delays its neighbours.",
    plant: () => ({ service: { delivery: { concurrencyPerHost: 1 } } }),
  },
  "hold-standard-time": {
    fails: "P-REFUND-CALENDAR",
    breaks: "S 3.1: days begin at UTC-5 all the year: in summer money moves an hour late.",
    plant: serving(({ hold }) => ({ hold: { ...hold, timeZone: "America/Panama" } })),
  },
  "hold-from-report": {
    fails: "P-REFUND-AUTHORIZED",
    breaks: "S 3.1: the hold counts from the report of a settlement, which may come days after it.",
    plant: () => ({
      state: (call, next) =>
        next(
          textOf(call.body).includes('"the payment settles"')
            ? { ...call, body: textOf(call.body).replace(/,"settledAt":"[^"]*"/, "") }
            : call,
        ),
    }),
  },
};
