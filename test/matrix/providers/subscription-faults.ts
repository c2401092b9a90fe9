import {
  answers,
  calls,
  statuses,
  bodyOf,
  withCallText,
  withText,
  type Broken,
} from "./fault-kinds.ts";

/** Of subscriptions. */
export const subscriptionFaults: readonly Broken[] = [
  {
    check: "provider/subscriptions",
    requirement: "P-SUBSCRIBE-SELECT",
    what: "sends everything to whoever selects a category",
    isQuick: true,
    fault: calls((text) =>
      text.replace(/"type":"CATEGORY","details":\[(?:"[A-Z]+",?){1,2}\]\}/, '"type":"ALL"}'),
    ),
  },
  {
    check: "provider/subscriptions",
    requirement: "P-UNSUBSCRIBE-SUBTRACT",
    what: "acknowledges an unsubscription and forgets it",
    fault: () => {
      // Of each merchant its own keys: what is anybody else's is refused as ever.
      const keys = new Map<string, string>();
      return async (call, next) => {
        const { authorization = "" } = call.headers;
        const key = /^\{"subscriptionId":"([^"]*)","subscriptionDetails":\{"type":"[A-Z]+"/.exec(
          bodyOf(call),
        )?.[1];
        if (call.path.endsWith("/unsubscribe") && keys.get(key ?? "") === authorization)
          return {
            status: 200,
            headers: { "content-type": "application/json" },
            body: Buffer.from(`{"subscriptionKey":"${key ?? ""}"}`),
          };
        const answer = await next(call);
        const made = /^\{"subscriptionKey":"([^"]*)"/.exec(
          Buffer.from(answer.body).toString(),
        )?.[1];
        if (made !== undefined) keys.set(made, authorization);
        return answer;
      };
    },
    also: { "P-EVENT-ROTATION": "the first secret goes on beside the second" },
  },
  {
    check: "provider/subscriptions",
    requirement: "P-SUBSCRIBE-KEY",
    what: "gives every subscription the same key",
    fault: () => {
      const first = new Map<string, string>();
      return async (call, next) => {
        const answer = await next(call);
        if (!call.path.endsWith("/subscribe") || answer.status !== 200) return answer;
        const merchant = call.headers["authorization"] ?? "";
        return withText(answer, (text) => {
          first.set(merchant, first.get(merchant) ?? text);
          return first.get(merchant) ?? text;
        });
      };
    },
    also: {
      "P-SUBSCRIBE-SELECT": "what is taken away from one is taken away from the first",
      "P-EVENT-SUCCESS": "the subscription that ends is the first one, and not the last",
    },
  },
  {
    check: "provider/unsubscribing",
    requirement: "P-SUBSCRIBE-UNKNOWN",
    what: "subscribes to events that it never sends",
    isQuick: true,
    fault: calls((text) => text.replace("no.such.event", "payment.created")),
  },
  {
    check: "provider/unsubscribing",
    requirement: "P-UNSUBSCRIBE-ID",
    what: "takes one of two keys",
    fault: () => (call, next) => next({ ...call, path: call.path.replace(/\?.*/, "") }),
  },
  {
    check: "provider/unsubscribing",
    requirement: "P-UNSUBSCRIBE-KEY",
    what: "answers with another key",
    fault: answers((text) => text.replace(/"sub_\w+"/, '"sub_1"'), /unsubscribe/),
  },
  {
    check: "provider/unsubscribing",
    requirement: "P-UNSUBSCRIBE-NOT-FOUND",
    what: "answers an unknown key 400",
    fault: statuses(404, 400, /unsubscribe/),
  },
  {
    check: "provider/unsubscribing",
    requirement: "P-SUBSCRIBE-ALL-DETAILS",
    what: "refuses details beside ALL",
    fault: calls((text) =>
      text.replace(/"type":"ALL"(,"details":\["payment\.created"\]\})/, '"type":"NONE"$1'),
    ),
  },
  {
    check: "provider/unsubscribing",
    requirement: "P-UNSUBSCRIBE-CLOSED",
    what: "forgets a subscription that is closed",
    also: { "P-UNSUBSCRIBE-SUBTRACT": "what is closed is taken away from as any other" },
    fault: () => {
      const closed = new Set<string>();
      return async (call, next) => {
        const key = /"subscriptionId":"([^"]*)"/.exec(Buffer.from(call.body ?? "").toString())?.[1];
        if (key === undefined) return next(call);
        if (closed.has(key))
          return next(withCallText(call, (text) => text.replace(key, "sub_gone")));
        const answer = await next(call);
        if (answer.status === 200) closed.add(key);
        return answer;
      };
    },
  },
];
