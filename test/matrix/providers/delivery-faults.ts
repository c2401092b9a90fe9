import type { FaultTable } from "../matrix.ts";
import {
  attempts,
  type Change,
  type Delivered,
  type DeliveryFault,
  delivering,
  eventOf,
  hearing,
  nameOf,
  resigned,
  rewritten,
  seconds,
} from "./changes.ts";

const becomes =
  (from: number, to: number) =>
  (answer: Delivered): Delivered =>
    answer.status === from ? { status: to, headers: {} } : answer;

/** Changes attempts by the times, in seconds, of the attempts of the same event so far, this one included. */
const counting =
  (faultOf: (times: readonly number[]) => DeliveryFault): Change =>
  () => {
    const known = new Map<string, number[]>();
    return {
      delivery(attempt, next) {
        const times = [...(known.get(nameOf(attempt)) ?? []), seconds()];
        known.set(nameOf(attempt), times);
        return faultOf(times)(attempt, next);
      },
    };
  };

/** Mistakes in events, their attempts and what follows an answer, by check and requirement. */
export const deliveryFaults: FaultTable<Change> = {
  "provider/deliveries P-EVENT-SIGNED: signs other bytes than it sends": attempts((attempt) => ({
    ...attempt,
    body: Buffer.from(JSON.stringify(eventOf(attempt), null, 1)),
  })),
  "provider/deliveries P-EVENT-HEADERS: sends by PUT": attempts((attempt) => ({
    ...attempt,
    method: "PUT",
  })),
  "provider/retries P-EVENT-TIMESTAMP: signs a retry with the first attempt's timestamp": counting(
    ([first = 0]) =>
      (attempt, next) =>
        next(resigned(attempt, { timestamp: first })),
  ),
  "provider/retries P-EVENT-ID-KEPT: serializes the body again for a retry": counting(
    ({ length }) =>
      (attempt, next) => {
        const text = JSON.stringify(eventOf(attempt), null, 1);
        return next(length === 1 ? attempt : resigned(attempt, { text }));
      },
  ),
  "provider/retries P-EVENT-RETRY: gives up after the third attempt": counting(
    ({ length }) =>
      async (attempt, next) => {
        const answer = await next(attempt);
        return length < 3 ? answer : { status: 204, headers: {} };
      },
  ),
  "provider/secrets P-EVENT-ROTATION: signs for all subscriptions of a URL with the newest secret":
    attempts((attempt) => resigned(attempt, { secretKey: attempt.newestSecretKey })),
  "provider/deliveries P-EVENT-CATALOGUE: sends a type that its catalogue does not have": rewritten(
    (text) => text.replace('"type":"account.linked"', '"type":"account.joined"'),
  ),
  "provider/deliveries P-EVENT-SCHEMA: adds a member to its events": rewritten((text) =>
    text.replace(/^\{/, '{"version":1,'),
  ),
  "provider/attempt-answers P-EVENT-SUCCESS: treats 202 as a failure": hearing(becomes(202, 500)),
  "provider/attempt-answers P-EVENT-NO-REDIRECT: follows redirects": delivering(
    async (attempt, next) => {
      const answer = await next(attempt);
      const { location } = answer.headers;
      return location === undefined ? answer : next({ ...attempt, url: new URL(location) });
    },
  ),
  "provider/attempt-answers P-EVENT-GONE: continues after 410": hearing(becomes(410, 500)),
  "provider/attempt-answers P-EVENT-GONE: repeats an event under another id after 410": () => {
    const gone = new Set<string>();
    return {
      async delivery(attempt, next) {
        const name = nameOf(attempt);
        if (gone.has(name)) {
          const text = attempt.body.toString().replace('"id":"', "$&again_");
          await next(resigned(attempt, { text }));
          return { status: 410, headers: {} };
        }
        const answer = await next(attempt);
        if (answer.status === 410) gone.add(name);
        return becomes(410, 500)(answer);
      },
    };
  },
  "provider/retry-after P-EVENT-RETRY-AFTER: ignores Retry-After": hearing(({ status }) => ({
    status,
    headers: {},
  })),
  "provider/attempt-deadline P-EVENT-TIMEOUT: never attempts an event again after silence": () => {
    const silent = new Set<string>();
    return {
      async delivery(attempt, next) {
        if (silent.has(nameOf(attempt))) return { status: 204, headers: {} };
        silent.add(nameOf(attempt));
        const answer = await next(attempt);
        silent.delete(nameOf(attempt));
        return answer;
      },
    };
  },
  "provider/slow-receivers P-EVENT-ISOLATED: serves one receiver after the other": () => {
    let last: Promise<unknown> = Promise.resolve();
    return {
      delivery(attempt, next) {
        const following = async (before: Promise<unknown>): Promise<Delivered> => {
          await before.catch(() => undefined);
          return next(attempt);
        };
        const mine = following(last);
        last = mine;
        return mine;
      },
    };
  },
  "provider/event-facts P-EVENT-EACH-STATE: never reports that a refund was sent": delivering(
    (attempt, next) =>
      eventOf(attempt).type === "refund.authorized"
        ? Promise.resolve({ status: 204, headers: {} })
        : next(attempt),
  ),
  "provider/event-facts P-EVENT-FACTS: sends amounts in cents": rewritten((text) =>
    text.replace(/"value":(\d{1,5})\.(\d\d)/, (_, dollars: string, cents: string) => {
      return `"value":${Number(dollars + cents)}`;
    }),
  ),
  "provider/event-facts P-EVENT-CAUSED: sends an event of a refund that was never made": delivering(
    async (attempt, next) => {
      const answer = await next(attempt);
      const text = attempt.body.toString().replace(/"id":"evt_|"paymentId":"ref_/g, "$&x");
      if (eventOf(attempt).type === "refund.pending") await next(resigned(attempt, { text }));
      return answer;
    },
  ),
  "provider/event-facts P-EVENT-TIMES: writes times an hour off": rewritten((text) =>
    text.replace(/(?<="timestamp":")[^"]*/, (time) =>
      new Date(Date.parse(time) + 3_600_000).toISOString(),
    ),
  ),
};
