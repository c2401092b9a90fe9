import { each, later, now } from "./attempt-changes.ts";
import { eventOf, resigned, type Broken, type ProxiedAttempt } from "./fault-kinds.ts";

const UNVERIFIED = { "P-EVENT-ROTATION": "what verifies with no secret does not with its own" };

const without = (attempt: ProxiedAttempt, name: string): ProxiedAttempt => {
  const { [name]: _, ...headers } = attempt.headers;
  return { ...attempt, headers };
};

/** What is wrong with an attempt itself. */
export const attemptFaults: readonly Broken[] = [
  {
    check: "provider/deliveries",
    requirement: "P-EVENT-SIGNED",
    what: "signs other bytes than it sends",
    isQuick: true,
    delivery: each((attempt) => ({
      ...attempt,
      body: Buffer.from(JSON.stringify(eventOf(attempt), null, 1)),
    })),
    also: UNVERIFIED,
  },
  {
    check: "provider/deliveries",
    requirement: "P-EVENT-SIGNED",
    what: "signs the body alone",
    delivery: each((attempt) => ({
      ...attempt,
      headers: {
        ...attempt.headers,
        ...attempt.sign({ id: "evt_1", timestamp: 0, body: attempt.body }),
        "webhook-id": attempt.headers["webhook-id"] ?? "",
        "webhook-timestamp": attempt.headers["webhook-timestamp"] ?? "",
      },
    })),
    also: UNVERIFIED,
  },
  {
    check: "provider/deliveries",
    requirement: "P-EVENT-SIGNED",
    what: "signs another id than the event's",
    delivery: each((attempt) => {
      const message = { id: `${eventOf(attempt).id}0`, timestamp: now(), body: attempt.body };
      return { ...attempt, headers: { ...attempt.headers, ...attempt.sign(message) } };
    }),
  },
  {
    check: "provider/deliveries",
    requirement: "P-EVENT-HEADERS",
    what: "sends JSON as plain text",
    isQuick: true,
    delivery: each((attempt) => ({
      ...attempt,
      headers: { ...attempt.headers, "content-type": "text/plain" },
    })),
  },
  {
    check: "provider/deliveries",
    requirement: "P-EVENT-HEADERS",
    what: "sends by PUT",
    delivery: each((attempt) => ({ ...attempt, method: "PUT" })),
  },
  {
    check: "provider/deliveries",
    requirement: "P-EVENT-HEADERS",
    what: "leaves the timestamp out",
    delivery: each((attempt) => without(attempt, "webhook-timestamp")),
    also: UNVERIFIED,
  },
  {
    check: "provider/deliveries",
    requirement: "P-EVENT-TIMESTAMP",
    what: "tells the time in milliseconds",
    delivery: each((attempt) => ({
      ...attempt,
      headers: { ...attempt.headers, "webhook-timestamp": String(Date.now()) },
    })),
    also: UNVERIFIED,
  },
  {
    check: "provider/deliveries",
    requirement: "P-EVENT-TIMESTAMP",
    what: "signs with a clock that is an hour behind",
    delivery: each((attempt) => resigned(attempt, { timestamp: now() - 3600 })),
    also: UNVERIFIED,
  },
  {
    check: "provider/retries",
    requirement: "P-EVENT-TIMESTAMP",
    what: "signs a later attempt with the first one's timestamp",
    isQuick: true,
    delivery: () => {
      const first = new Map<string, number>();
      return (attempt, next) => {
        const name = `${attempt.url.href} ${eventOf(attempt).id}`;
        first.set(name, first.get(name) ?? now());
        return next(resigned(attempt, { timestamp: first.get(name) ?? 0 }));
      };
    },
  },
  {
    check: "provider/retries",
    requirement: "P-EVENT-ID-KEPT",
    what: "prints the body anew for a later attempt",
    isQuick: true,
    delivery: later(2, (attempt) =>
      resigned(attempt, { text: JSON.stringify(eventOf(attempt), null, 1) }),
    ),
  },
  {
    check: "provider/retries",
    requirement: "P-EVENT-ID-KEPT",
    what: "gives the third attempt an id of its own",
    delivery: later(3, (attempt) =>
      resigned(attempt, { text: attempt.body.toString().replace(/"id":"evt_/, "$&again") }),
    ),
  },
  {
    check: "provider/secrets",
    requirement: "P-EVENT-ROTATION",
    what: "signs for all subscriptions of a url with the newest one's secret",
    isQuick: true,
    delivery: each((attempt) => resigned(attempt, { secretKey: attempt.newestSecretKey })),
  },
];
