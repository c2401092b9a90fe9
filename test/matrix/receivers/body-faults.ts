import { gunzipSync } from "node:zlib";
import { ok, refusal } from "./answer.ts";
import { valuesOf } from "./arrived.ts";
import { always, type Broken, reading } from "./broken.ts";
import { type Conduct, honest } from "./conduct.ts";
import { fitsSchema, isKnownType } from "./fits-schema.ts";
import { honestReading } from "./read-event.ts";

/** The verdict of the headers of a body that is not coded. */
const plain: Conduct["judgeHeaders"] = ({ rawHeaders, body }) =>
  honest.judgeHeaders({
    rawHeaders: rawHeaders.map((one) => (/^content-encoding$/i.test(one) ? "x-coding" : one)),
    body,
  });
const lenient = (bytes: Buffer): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** Bodies and what is in them, and the HTTP around them. */
export const bodyFaults: readonly Broken[] = [
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
    also: { "R-BODY-STRICT": "With a byte order mark a body is no JSON." },
    change: always({ unreadable: (body) => (isJson(body) ? refusal(400, "body") : ok) }),
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
];

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString());
    return true;
  } catch {
    return false;
  }
}
