import { answers, calls, statuses, refund, type Broken } from "./fault-kinds.ts";
import { withCallText, withText } from "./open-target.ts";

export const otherFaults: readonly Broken[] = [
  {
    check: "provider/subscriptions",
    requirement: "P-SUBSCRIBE-SELECT",
    what: "sends everything to everybody",
    isQuick: true,
    fault: () => (call, next) =>
      next(
        call.path.endsWith("/subscribe")
          ? withCallText(call, (text) =>
              text.replace(/"type":"\w+","details":\[[^\]]*\]/, '"type":"ALL"'),
            )
          : call,
      ),
  },
  {
    check: "provider/subscriptions",
    requirement: "P-UNSUBSCRIBE-SUBTRACT",
    what: "acknowledges an unsubscription and forgets it",
    fault: () => (call, next) =>
      call.path.endsWith("/unsubscribe")
        ? Promise.resolve({
            status: 200,
            headers: { "content-type": "application/json" },
            body: Buffer.from('{"subscriptionKey":"sub_1"}'),
          })
        : next(call),
  },
  {
    check: "provider/subscriptions",
    requirement: "P-SUBSCRIBE-KEY",
    what: "gives every subscription the same key",
    fault: () => {
      const first = new Map<string, string>();
      return async (call, next) => {
        const answer = await next(call);
        if (!call.path.endsWith("/subscribe")) return answer;
        const merchant = call.headers["authorization"] ?? "";
        return withText(answer, (text) => {
          first.set(merchant, first.get(merchant) ?? text);
          return first.get(merchant) ?? text;
        });
      };
    },
  },
  {
    check: "provider/valid-requests",
    requirement: "P-REFUND-REFERENCE",
    what: "returns references in lower case",
    fault: answers((text) =>
      text.replace(/"clientReferenceId":"[^"]*"/, (reference) =>
        reference.replaceAll(/[^ -~]/g, "?").replaceAll("A", "a"),
      ),
    ),
  },
  {
    check: "provider/valid-requests",
    requirement: "P-REFUND-REFERENCE-ALIAS",
    what: "does not know the second spelling",
    fault: calls((text) => text.replace(/,"clientRefefenceId":"(?:[^"\\]|\\.)*"/, "")),
  },
  {
    check: "provider/valid-requests",
    requirement: "P-REFUND-VALID",
    what: "refuses a descriptor with a digit",
    fault: calls((text) => text.replace(/("softDescriptor":"[A-Za-z ]*)\d/, "$1_")),
  },
  {
    check: "provider/valid-requests",
    requirement: "P-ANSWER-SCHEMA",
    what: "adds a member to its answers",
    isQuick: true,
    fault: answers((text) => text.replace(/^\{/, '{"refundId":"1",')),
  },
  {
    check: "provider/valid-requests",
    requirement: "P-ANSWER-SCHEMA",
    what: "answers in another media type",
    fault: () => async (call, next) => ({
      ...(await next(call)),
      headers: { "content-type": "text/html" },
    }),
  },
  {
    check: "provider/invalid-requests",
    requirement: "P-INPUT-REFUSED",
    what: "passes over members that it does not know",
    isQuick: true,
    fault: calls((text) => text.replace(/,"unknownMember":"unknown"/, "")),
  },
  {
    check: "provider/invalid-requests",
    requirement: "P-INPUT-PRECISE",
    what: "does not say which member is wrong",
    fault: answers((text) => text.replace(/,"errors":\[.*?\]/, "")),
  },
  {
    check: "provider/common-headers",
    requirement: "P-AUTH-BEARER",
    what: "answers a stranger 403",
    isQuick: true,
    fault: statuses(401, 403),
  },
  {
    check: "provider/common-headers",
    requirement: "P-AUTH-BEARER",
    what: "does not say how to authenticate",
    fault: () => async (call, next) => {
      const answer = await next(call);
      const { "www-authenticate": _, ...headers } = answer.headers;
      return { ...answer, headers };
    },
  },
  {
    check: "provider/common-headers",
    requirement: "P-INPUT-MEDIA-TYPE",
    what: "guesses at the body's form",
    isQuick: true,
    fault: () => (call, next) =>
      next({ ...call, headers: { ...call.headers, "content-type": "application/json" } }),
  },
  {
    check: "provider/common-headers",
    requirement: "P-INPUT-ACCEPT",
    what: "answers in what was not asked for",
    fault: () => (call, next) => next({ ...call, headers: { ...call.headers, accept: "*/*" } }),
  },
  {
    check: "provider/customers",
    requirement: "P-FOREIGN-404",
    what: "tells that another merchant's payment is there",
    fault: () => async (call, next) => {
      const answer = await next(call);
      const isTheirs =
        answer.status === 404 && /"pay_(?!that)/.test(Buffer.from(call.body ?? "").toString());
      return isTheirs
        ? { ...withText(answer, (text) => text.replaceAll("404", "403")), status: 403 }
        : answer;
    },
  },
  {
    check: "provider/customers",
    requirement: "P-CUSTOMER-READ",
    what: "leaves the account out",
    isQuick: true,
    fault: answers((text) => text.replace(/,"accountDetails":\{[^}]*\}/, "")),
  },
  {
    check: "provider/customers",
    requirement: "P-CUSTOMER-NOT-FOUND",
    what: "answers an unknown customer 400",
    fault: statuses(404, 400),
  },
  {
    check: "provider/bodies",
    requirement: "P-INPUT-STRICT",
    what: "takes the last of two members",
    isQuick: true,
    fault: calls((text) => text.replace(/,"amount":\{"currency":"USD","value":2.00\}/, "")),
  },
  {
    check: "provider/bodies",
    requirement: "P-INPUT-JSON",
    what: "takes an empty body",
    fault: () => async (call, next) => (call.body === "" ? refund("PENDING") : next(call)),
  },
  {
    check: "provider/bodies",
    requirement: "P-INPUT-SIZE",
    what: "reads bodies of any length",
    fault: calls((text) => text.trimEnd()),
  },
  {
    check: "provider/bodies",
    requirement: "P-INPUT-ENCODED",
    what: "passes over the content coding",
    fault: () => (call, next) => {
      const { "content-encoding": _, ...headers } = call.headers;
      return next({ ...call, headers });
    },
  },
  {
    check: "provider/bodies",
    requirement: "P-VERSION-PATH",
    what: "answers without the version in the path",
    fault: () => (call, next) =>
      next({ ...call, path: call.path.replace(/^\/refunds/, "/v1/refunds") }),
  },
  {
    check: "provider/bodies",
    requirement: "P-INPUT-METHOD",
    what: "answers 405 without Allow",
    fault: () => async (call, next) => {
      const answer = await next(call);
      const { allow: _, ...headers } = answer.headers;
      return { ...answer, headers };
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
    fault: statuses(404, 400),
  },
  {
    check: "provider/invalid-requests",
    requirement: "P-SUBSCRIBE-SECRET",
    what: "takes secrets that can be guessed",
    fault: () => async (call, next) => {
      const isShort = /"secretKey":"[^"]{1,23}"/.test(Buffer.from(call.body ?? "").toString());
      return isShort
        ? { ...refund("PENDING"), body: Buffer.from('{"subscriptionKey":"sub_1"}') }
        : next(call);
    },
  },
  {
    check: "provider/invalid-requests",
    requirement: "P-REFUND-CURRENCY",
    what: "takes other currencies for dollars",
    fault: calls((text) => text.replace(/"currency":"[^"]*"/, '"currency":"USD"')),
  },
  {
    check: "provider/common-headers",
    requirement: "P-AUTH-CHECKED-FIRST",
    what: "judges the media type before the token",
    fault: () => async (call, next) => {
      const answer = await next(call);
      const isWrong = call.headers["content-type"] === "text/plain" && answer.status === 401;
      return isWrong
        ? { ...withText(answer, (text) => text.replaceAll("401", "415")), status: 415 }
        : answer;
    },
  },
  {
    check: "provider/customers",
    requirement: "P-CUSTOMER-TIMES",
    what: "leaves the milliseconds out",
    fault: answers((text) => text.replaceAll(/\.\d{3}Z"/g, 'Z"')),
  },
  {
    check: "provider/invalid-requests",
    requirement: "P-ERROR-NO-SECRETS",
    what: "repeats a secret that it refuses",
    fault: () => async (call, next) => {
      const secret =
        /"secretKey":"([^"]*)"/.exec(Buffer.from(call.body ?? "").toString())?.[1] ?? "";
      const answer = await next(call);
      return withText(answer, (text) => text.replace(/"message":"/, `$&${secret} `));
    },
  },
  {
    check: "provider/invalid-requests",
    requirement: "P-SUBSCRIBE-URL",
    what: "takes any text for an address",
    fault: calls((text) => text.replace(/"url":"[^"]*"/, '"url":"http://127.0.0.1:9/webhooks"')),
  },
  {
    check: "provider/invalid-requests",
    requirement: "P-REFUND-DESCRIPTOR",
    what: "drops descriptors that it cannot send",
    fault: calls((text) => text.replace(/,"softDescriptor":(?:"(?:[^"\\]|\\.)*"|\d+)/, "")),
  },
  {
    check: "provider/invalid-requests",
    requirement: "P-SUBSCRIBE-DETAILS",
    what: "takes what it does not understand for ALL",
    fault: calls((text) =>
      text.replace(/"subscriptionDetails":\{[^}]*\}/, '"subscriptionDetails":{"type":"ALL"}'),
    ),
  },
  {
    check: "provider/common-headers",
    requirement: "P-INPUT-HEADERS-TOLERANT",
    what: "asks a GET for the media type of no body",
    fault: () => async (call, next) => {
      const answer = await next(call);
      return call.method === "GET" && !("content-type" in call.headers) && answer.status === 404
        ? { ...withText(answer, (text) => text.replaceAll("404", "400")), status: 400 }
        : answer;
    },
  },
  {
    check: "provider/unsubscribing",
    requirement: "P-SUBSCRIBE-ALL-DETAILS",
    what: "refuses details beside ALL",
    fault: calls((text) => text.replace('"type":"ALL","details"', '"type":"NONE","details"')),
  },
  {
    check: "provider/unsubscribing",
    requirement: "P-UNSUBSCRIBE-CLOSED",
    what: "forgets a subscription that is closed",
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
