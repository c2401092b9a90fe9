import type { FaultTable } from "../matrix.ts";
import { always, type Change, honest } from "./conduct.ts";
import { ok, refusal, valuesOf } from "./http.ts";

/** Long enough for another attempt to meet the running handler, also on a busy machine. */
const LONG = { handlerMs: 1000, handlerLimitMs: Infinity };

const ofAccount = ({ type }: { readonly type: string }): boolean => type.startsWith("account.");

/** Mistakes in acknowledging, routing, ordering and deduplicating. */
export const handlingFaults: FaultTable<Change> = {
  "R-ACK-GENUINE: refuses the events of accounts": always({
    judgeEvent: (event, arrived) =>
      ofAccount(event) ? refusal(404, "type") : honest.judgeEvent(event, arrived),
  }),
  "R-ACK-IN-TIME: never answers one type of event": always({
    hangs: ({ type }) => type === "account.updated",
  }),
  "R-ACK-HANGING: waits for a handler forever": always({ handlerLimitMs: Infinity }),
  "R-ROUTE-ONE: runs two handlers for an event": always({
    handlers: ({ type }) => (type.startsWith("customer.") ? 2 : 1),
  }),
  "R-ROUTE-PROTOTYPE: finds handlers on the prototype of its lookup table": always({
    handlers: ({ type }) => (Reflect.has({}, type) ? 0 : 1),
  }),
  "R-MONEY-EXACT: loses a cent to a binary fraction": always({
    centsOf: (dollars) => Math.trunc(dollars * 100),
  }),
  "R-ORDER-NONE: drops an event that is a minute older than the last one": () => {
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
  "R-ORDER-GUARD: refuses an event that is older than one of its resource": () => {
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
  "R-LOAD-SHED: acknowledges events beyond its handlers' capacity and drops them": always({
    ...LONG,
    concurrent: 8,
    overloaded: ok,
  }),
  "R-ONCE-DUPLICATE: identifies an event by an unsigned header": always({
    keyOf: (event, arrived) => valuesOf(arrived, "x-request-id")[0] ?? event.id,
  }),
  "R-ONCE-DISTINCT: ignores the case of ids": always({ keyOf: ({ id }) => id.toLowerCase() }),
  "R-ONCE-RETRIES: remembers the last fifty events": always({ remembers: 50 }),
  "R-EFFECTS-LIST: lists failed payments without their ids": always({
    listed: (event) => (event.type === "payment.failed" ? { ...event, id: null } : event),
  }),
  "R-ONCE-CONCURRENT: records an event only after its handler": always({
    ...LONG,
    claimsFirst: false,
  }),
  "R-ACK-IN-PROGRESS: acknowledges an event that is in progress": always({
    ...LONG,
    answerKnown: (known, body) => (known.body.equals(body) ? ok : honest.answerKnown(known, body)),
  }),
  "R-ONCE-REUSED: treats a known id with another body as a duplicate": always({
    answerKnown: ({ at }) =>
      at === "handled" ? ok : refusal(409, "in_progress", { "retry-after": "1" }),
  }),
  "R-ACK-AFTER-HANDLER: acknowledges before its handler has run": always({ awaitsHandler: false }),
  "R-ACK-FAILED: treats the retry of a failed event as a duplicate": always({ releases: false }),
  "R-ACK-RETRY-AFTER: sends no Retry-After with a failure": always({
    failed: () => refusal(503, "failed"),
  }),
};
