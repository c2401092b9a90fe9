import { ok, refusal } from "./answer.ts";
import { valuesOf } from "./arrived.ts";
import { always, type Broken } from "./broken.ts";
import { honest } from "./conduct.ts";

/** Of a handler that another attempt has to meet, also on a busy machine. */
const LONG_MS = 600;

const retry = { "retry-after": "1" };

/** What is acknowledged, once and in which order, and which handlers run. */
export const handlingFaults: readonly Broken[] = [
  {
    requirement: "R-ACK-GENUINE",
    what: "refuses the events of accounts",
    change: always({
      judgeEvent: (event, arrived) =>
        event.type.startsWith("account.")
          ? refusal(404, "type")
          : honest.judgeEvent(event, arrived),
    }),
  },
  {
    requirement: "R-ACK-GENUINE",
    what: "answers what it has handled with a redirection",
    change: always({
      done: ({ type }) =>
        type.startsWith("account.") ? { status: 302, headers: { location: "/done" } } : ok,
    }),
  },
  {
    requirement: "R-ACK-IN-TIME",
    what: "waits for ever with an answer to one type of event",
    also: { "R-ACK-GENUINE": "What is not answered is not acknowledged." },
    change: always({ hangs: ({ type }) => type === "account.updated" }),
  },
  {
    requirement: "R-ACK-HANGING",
    what: "waits for a handler for ever",
    isSlow: true,
    change: always({ handlerLimitMs: Infinity }),
  },
  {
    requirement: "R-ACK-HANGING",
    what: "acknowledges an event whose handler does not come to its end",
    isSlow: true,
    change: always({ late: ok }),
  },
  {
    requirement: "R-ROUTE-ONE",
    what: "runs two handlers for an event",
    change: always({ handlers: ({ type }) => (type.startsWith("customer.") ? 2 : 1) }),
  },
  {
    requirement: "R-ROUTE-ONE",
    what: "has no handler for the events of accounts, and no fallback",
    change: always({ handlers: ({ type }) => (type.startsWith("account.") ? 0 : 1) }),
  },
  {
    requirement: "R-ROUTE-PROTOTYPE",
    what: "finds handlers on the prototype of its table",
    change: always({ handlers: ({ type }) => (!Reflect.has({}, type) ? 1 : 0) }),
  },
  {
    requirement: "R-MONEY-EXACT",
    what: "loses a cent on the way through a binary fraction",
    change: always({ centsOf: (dollars) => Math.trunc(dollars * 100) }),
  },
  {
    requirement: "R-ORDER-NONE",
    what: "drops an event that is older by a minute than the last one",
    change: () => {
      let last = 0;
      return {
        handlers({ timestamp }) {
          const at = Date.parse(timestamp);
          // Events at once overtake each other by milliseconds.
          const isOlder = at < last - 60_000;
          if (!isOlder) last = at;
          return isOlder ? 0 : 1;
        },
      };
    },
  },
  {
    requirement: "R-ORDER-GUARD",
    what: "refuses an event that is older than one of its resource",
    change: () => {
      const latest = new Map<unknown, string>();
      return {
        judgeEvent(event, arrived) {
          const said = honest.judgeEvent(event, arrived);
          if (said !== undefined) return said;
          const resource = event.data["paymentId"];
          const isOlder = event.timestamp < (latest.get(resource) ?? "");
          if (!isOlder) latest.set(resource, event.timestamp);
          return isOlder ? refusal(409, "order") : undefined;
        },
      };
    },
  },
  {
    requirement: "R-LOAD-SHED",
    what: "acknowledges what comes beyond its handlers, and drops it",
    change: always({ handlerMs: 150, concurrent: 8, overloaded: ok }),
  },
  {
    requirement: "R-ONCE-DUPLICATE",
    what: "keeps no record",
    also: {
      "R-ONCE-REUSED": "Without a record no id is known.",
      "R-ONCE-CONCURRENT": "Without a record no event is in progress.",
    },
    change: always({ answerKnown: () => undefined }),
  },
  {
    requirement: "R-ONCE-DUPLICATE",
    what: "knows an event by its signature",
    also: { "R-ONCE-REUSED": "Another body has another signature." },
    change: always({
      keyOf: (_event, arrived) => valuesOf(arrived, "webhook-signature").join(" "),
    }),
  },
  {
    requirement: "R-ONCE-DUPLICATE",
    what: "knows an event by an unsigned header",
    change: always({
      keyOf: (event, arrived) => valuesOf(arrived, "x-request-id")[0] ?? event.id,
    }),
  },
  {
    requirement: "R-ONCE-DUPLICATE",
    what: "remembers the last event alone",
    change: always({ remembers: 1 }),
  },
  {
    requirement: "R-ONCE-DUPLICATE",
    what: "answers a duplicate with a conflict",
    change: always({
      answerKnown: (known, body) =>
        known.at === "handled" && known.body.equals(body)
          ? refusal(409, "duplicate")
          : honest.answerKnown(known, body),
    }),
  },
  {
    requirement: "R-ONCE-CONCURRENT",
    what: "looks at its record first and writes to it afterwards",
    change: always({ handlerMs: LONG_MS, claimsFirst: false }),
  },
  {
    requirement: "R-ACK-IN-PROGRESS",
    what: "acknowledges an event that is in progress",
    change: always({
      handlerMs: LONG_MS,
      answerKnown: (known, body) =>
        known.body.equals(body) ? ok : honest.answerKnown(known, body),
    }),
  },
  {
    requirement: "R-ONCE-REUSED",
    what: "takes a known id with another body for a duplicate",
    change: always({
      answerKnown: (known) => (known.at === "handled" ? ok : refusal(409, "in_progress", retry)),
    }),
  },
  {
    requirement: "R-ONCE-REUSED",
    what: "knows an event by its body",
    change: always({ keyOf: (_event, { body }) => body.toString("latin1") }),
  },
  {
    requirement: "R-ACK-AFTER-HANDLER",
    what: "acknowledges before its handler has run",
    also: {
      "R-ACK-FAILED": "A failure comes too late to be answered.",
    },
    change: always({ awaitsHandler: false }),
  },
  {
    requirement: "R-ACK-FAILED",
    what: "acknowledges an event whose handler failed",
    also: {
      "R-ACK-AFTER-HANDLER": "An acknowledgement after a failure follows no success.",
    },
    change: always({ failed: () => ok }),
  },
  {
    requirement: "R-ACK-FAILED",
    what: "takes the next attempt of a failed event for a duplicate",
    change: always({ releases: false }),
  },
  {
    requirement: "R-ACK-RETRY-AFTER",
    what: "does not say when to come again",
    change: always({ failed: () => refusal(503, "failed") }),
  },
  {
    requirement: "R-ACK-RETRY-AFTER",
    what: "answers a failure as a fault of the sender's",
    change: always({ failed: () => refusal(400, "failed") }),
  },
];
