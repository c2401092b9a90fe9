import { setTimeout } from "node:timers/promises";
import {
  eventOf,
  resigned,
  type Broken,
  type Delivered,
  type DeliveryFault,
} from "./fault-kinds.ts";

/** What the service hears of an answer. */
const heard =
  (change: (answer: Delivered) => Delivered): (() => DeliveryFault) =>
  () =>
  async (attempt, next) =>
    change(await next(attempt));

const becomes =
  (from: number, to: number) =>
  (answer: Delivered): Delivered =>
    answer.status === from ? { status: to, headers: {} } : answer;

/** What is wrong with what an answer does. */
export const answerFaults: readonly Broken[] = [
  {
    check: "provider/attempt-answers",
    requirement: "P-EVENT-SUCCESS",
    what: "takes 202 for a failure",
    isQuick: true,
    delivery: heard(becomes(202, 500)),
  },
  {
    check: "provider/attempt-answers",
    requirement: "P-EVENT-SUCCESS",
    what: "takes 404 for an end",
    delivery: heard(becomes(404, 204)),
  },
  {
    check: "provider/attempt-answers",
    requirement: "P-EVENT-NO-REDIRECT",
    what: "follows redirects",
    isQuick: true,
    delivery: () => async (attempt, next) => {
      const answer = await next(attempt);
      const { location } = answer.headers;
      return location === undefined ? answer : next({ ...attempt, url: new URL(location) });
    },
  },
  {
    check: "provider/attempt-answers",
    requirement: "P-EVENT-NO-REDIRECT",
    what: "takes a redirect for a success",
    delivery: heard(becomes(307, 204)),
  },
  {
    check: "provider/attempt-answers",
    requirement: "P-EVENT-GONE",
    what: "goes on after 410",
    isQuick: true,
    delivery: heard(becomes(410, 500)),
  },
  {
    check: "provider/attempt-answers",
    requirement: "P-EVENT-GONE",
    what: "ends the event after 410, and not the subscription",
    delivery: heard(becomes(410, 204)),
  },
  {
    check: "provider/retry-after",
    requirement: "P-EVENT-RETRY-AFTER",
    what: "passes over Retry-After",
    isQuick: true,
    delivery: heard(({ status }) => ({ status, headers: {} })),
  },
  {
    check: "provider/retries",
    requirement: "P-EVENT-RETRY",
    what: "gives up after the third attempt",
    isQuick: true,
    delivery: () => {
      const counts = new Map<string, number>();
      return async (attempt, next) => {
        const { id } = eventOf(attempt);
        counts.set(id, (counts.get(id) ?? 0) + 1);
        const answer = await next(attempt);
        return (counts.get(id) ?? 0) < 3 ? answer : { status: 204, headers: {} };
      };
    },
  },
  {
    check: "provider/retries",
    requirement: "P-EVENT-RETRY",
    what: "makes an attempt again at once",
    delivery: () => async (attempt, next) => {
      const answer = await next(attempt);
      return answer.status === 500 ? next(attempt) : answer;
    },
    also: {
      "P-UNSUBSCRIBE-SUBTRACT":
        "what is attempted again at once comes before the subscription ends",
    },
  },
  {
    check: "provider/attempt-deadline",
    requirement: "P-EVENT-TIMEOUT",
    what: "takes silence for a success",
    isQuick: true,
    delivery: () => (attempt, next) => Promise.race([next(attempt), after(2000, 204)]),
  },
  {
    check: "provider/attempt-deadline",
    requirement: "P-EVENT-TIMEOUT",
    what: "gives an attempt a quarter of its time",
    delivery: () => (attempt, next) => Promise.race([next(attempt), after(600, 500)]),
  },
  {
    check: "provider/slow-receivers",
    requirement: "P-EVENT-ISOLATED",
    what: "serves one receiver after the other",
    isQuick: true,
    delivery: () => {
      let last: Promise<unknown> = Promise.resolve();
      return async (attempt, next) => {
        const before = last;
        const mine = Promise.withResolvers<undefined>();
        last = mine.promise;
        await before;
        try {
          return await next(attempt);
        } finally {
          mine.resolve(undefined);
        }
      };
    },
    also: { "P-EVENT-TIMEOUT": "what waits for a silent receiver has no time left of its own" },
  },
  {
    check: "provider/refund-events",
    requirement: "P-EVENT-EACH-STATE",
    what: "tells of one state by two events",
    isQuick: true,
    delivery: () => async (attempt, next) => {
      const answer = await next(attempt);
      const text = attempt.body.toString().replace(/"id":"evt_/, "$&again");
      if (eventOf(attempt).type === "refund.authorized") await next(resigned(attempt, { text }));
      return answer;
    },
  },
  {
    check: "provider/refund-events",
    requirement: "P-EVENT-EACH-STATE",
    what: "tells of a pending state that a refund passed over",
    delivery: () => async (attempt, next) => {
      const text = attempt.body
        .toString()
        .replace(/"id":"evt_/, "$&before")
        .replace('"type":"refund.authorized"', '"type":"refund.pending"')
        .replace('"AUTHORIZED"', '"PENDING"');
      if (eventOf(attempt).type === "refund.authorized") await next(resigned(attempt, { text }));
      return next(attempt);
    },
  },
  {
    check: "provider/deliveries",
    requirement: "P-SUBSCRIBE-SELECT",
    what: "loses the events of one type",
    isQuick: true,
    delivery: () => (attempt, next) =>
      eventOf(attempt).type === "account.linked"
        ? Promise.resolve({ status: 204, headers: {} })
        : next(attempt),
  },
];

/** An answer that comes by itself after so many milliseconds. */
async function after(ms: number, status: number): Promise<Delivered> {
  await setTimeout(ms, undefined, { ref: false });
  return { status, headers: {} };
}
