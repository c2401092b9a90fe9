import { gunzipSync } from "node:zlib";
import { ok, refusal } from "./answer.ts";
import { valuesOf } from "./arrived.ts";
import { always, type Broken, reading } from "./broken.ts";
import { type Conduct, honest, secrets } from "./conduct.ts";
import { fitsSchema, isKnownType } from "./fits-schema.ts";
import { honestReading } from "./read-event.ts";

const retry = { "retry-after": "1" };
const lenient = (bytes: Buffer): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** The verdict of the headers of a body that is not coded. */
const plain: Conduct["judgeHeaders"] = ({ rawHeaders, body }) =>
  honest.judgeHeaders({
    rawHeaders: rawHeaders.map((one) => (/^content-encoding$/i.test(one) ? "x-coding" : one)),
    body,
  });

export const eventFaults: readonly Broken[] = [
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
    requirement: "R-BODY-SIZE",
    what: "reads a body of any size",
    change: always({ bodyBytes: Infinity }),
  },
  {
    requirement: "R-BODY-DOCUMENTED",
    what: "refuses bodies above a kilobyte",
    change: always({ bodyBytes: 1024 }),
  },
  {
    requirement: "R-BODY-ENCODED",
    what: "inflates what is sent deflated, and verifies that",
    also: { "R-BODY-IDENTITY": "What it inflates it does not answer with 415." },
    change: always({
      judgeHeaders: plain,
      bodyOf(arrived) {
        if (!valuesOf(arrived, "content-encoding").includes("gzip")) return arrived.body;
        try {
          return gunzipSync(arrived.body, { maxOutputLength: 2 ** 20 });
        } catch {
          return arrived.body;
        }
      },
    }),
  },
  {
    requirement: "R-BODY-IDENTITY",
    what: "looks at no Content-Encoding",
    change: always({ judgeHeaders: plain }),
  },
  {
    requirement: "R-BODY-MEDIA",
    what: "looks at no Content-Type",
    change: always({
      judgeHeaders: (arrived) =>
        valuesOf(arrived, "content-encoding").length === 0
          ? undefined
          : honest.judgeHeaders(arrived),
    }),
  },
  {
    requirement: "R-BODY-JSON",
    what: "acknowledges a body that it cannot read",
    also: { "R-BODY-STRICT": "What two parsers read differently it cannot read." },
    change: always({ unreadable: () => ok }),
  },
  {
    requirement: "R-BODY-JSON",
    what: "reads a list of one event as the event",
    change: reading({
      decode: (bytes) => honestReading.decode(bytes).replace(/^\[(\{.*\})\]$/s, "$1"),
    }),
  },
  {
    requirement: "R-BODY-STRICT",
    what: "takes the last of a member that stands twice",
    change: reading({ areMembersOnce: false }),
  },
  {
    requirement: "R-BODY-STRICT",
    what: "reads bytes that are no UTF-8 as something else",
    change: reading({ decode: lenient }),
  },
  {
    requirement: "R-BODY-STRICT",
    what: "takes a byte order mark",
    change: reading({ decode: (bytes) => honestReading.decode(bytes).replace(/^\uFEFF/, "") }),
  },
  {
    requirement: "R-BODY-STRICT",
    what: "reads to any depth",
    change: reading({ depth: Infinity }),
  },
  {
    requirement: "R-BODY-SLOW",
    what: "waits for a body for ever",
    isSlow: true,
    change: always({ bodyMs: Infinity }),
  },
  {
    requirement: "R-EVENT-ID",
    what: "takes an envelope with another id than the signed one",
    change: always({
      judgeEvent: (event) =>
        fitsSchema(event, { isClosed: false }) ? undefined : refusal(422, "schema"),
    }),
  },
  {
    requirement: "R-EVENT-SCHEMA",
    what: "hands data to its handler that fits no schema",
    change: always({
      judgeEvent: (event, arrived) =>
        isKnownType(event.type) && honest.judgeEvent(event, arrived)?.status === 422
          ? undefined
          : honest.judgeEvent(event, arrived),
    }),
  },
  {
    requirement: "R-EVENT-SCHEMA",
    what: "acknowledges data that fits no schema, and drops it",
    change: () => ({
      judgeEvent(event, arrived) {
        const said = honest.judgeEvent(event, arrived);
        return said?.status === 422 ? ok : said;
      },
    }),
  },
  {
    requirement: "R-EVENT-UNKNOWN",
    what: "refuses a type that it does not know",
    change: always({
      judgeEvent: (event, arrived) =>
        isKnownType(event.type) ? honest.judgeEvent(event, arrived) : refusal(422, "type"),
    }),
  },
  {
    requirement: "R-EVENT-UNKNOWN",
    what: "refuses a member that it does not know",
    change: always({
      judgeEvent: (event, arrived) =>
        honest.judgeEvent(event, arrived) ??
        (fitsSchema(event, { isClosed: true }) ? undefined : refusal(422, "schema")),
    }),
  },
  {
    requirement: "R-EVENT-UNKNOWN",
    what: "acknowledges an event with a member that it does not know, and drops it",
    change: always({ handlers: (event) => (fitsSchema(event, { isClosed: true }) ? 1 : 0) }),
  },
  {
    requirement: "R-ROUTE-PROTOTYPE",
    what: "finds handlers on the prototype of its table",
    change: always({ handlers: ({ type }) => (!Reflect.has({}, type) ? 1 : 0) }),
  },
  {
    requirement: "R-LEAK-NOTHING",
    what: "answers a failure with its stack",
    change: always({
      failed: (error) => ({
        ...honest.failed(error),
        body: error instanceof Error ? (error.stack ?? "") : "",
      }),
    }),
  },
  {
    requirement: "R-LEAK-NOTHING",
    what: "answers a failure with its message",
    change: always({
      failed: (error) => ({
        ...honest.failed(error),
        body: error instanceof Error ? error.message : "",
      }),
    }),
  },
  {
    requirement: "R-LEAK-NOTHING",
    what: "answers a refusal with its secret",
    change: always({
      unbelieved: () => ({ ...refusal(401, "signature"), body: `no signature of ${secrets[0]}` }),
    }),
  },
  {
    requirement: "R-LEAK-NOTHING",
    what: "answers a body that it cannot read with the body",
    change: always({
      unreadable: (body) => ({ ...refusal(400, "body"), body: body.toString("latin1") }),
    }),
  },
  {
    requirement: "R-METHOD",
    what: "answers other methods with success",
    change: always({ wrongMethod: ok }),
  },
  {
    requirement: "R-METHOD",
    what: "does not say which method it takes",
    change: always({ wrongMethod: refusal(405, "method") }),
  },
  {
    requirement: "R-METHOD",
    what: "takes an attempt by PUT",
    change: always({ methods: ["POST", "PUT", "PATCH"] }),
  },
  {
    requirement: "R-MONEY-EXACT",
    what: "loses a cent on the way through a binary fraction",
    change: always({ centsOf: (dollars) => Math.trunc(dollars * 100) }),
  },
  {
    requirement: "R-ORDER-NONE",
    what: "drops an event that is older than the last one",
    change: () => {
      let last = "";
      return {
        handlers({ timestamp }) {
          const isOlder = timestamp < last;
          if (!isOlder) last = timestamp;
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
    change: always({ concurrent: 8, overloaded: ok }),
  },
  {
    requirement: "R-HTTP-KEEP-ALIVE",
    what: "answers nothing on a connection after a refusal",
    change: always({ servesAfterRefusal: false }),
  },
  {
    requirement: "R-HTTP-CONTINUE",
    what: "never says to continue",
    change: always({ continues: false }),
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
    change: always({ claimsFirst: false }),
  },
  {
    requirement: "R-ACK-IN-PROGRESS",
    what: "acknowledges an event that is in progress",
    change: always({
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
      "R-ACK-IN-PROGRESS": "Its first attempt is acknowledged while it is in progress.",
    },
    change: always({ awaitsHandler: false }),
  },
  {
    requirement: "R-ACK-FAILED",
    what: "acknowledges an event whose handler failed",
    also: {
      "R-ACK-AFTER-HANDLER": "An acknowledgement after a failure follows no success.",
      "R-ACK-IN-PROGRESS":
        "The attempt whose handler fails is acknowledged among those of its event.",
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
