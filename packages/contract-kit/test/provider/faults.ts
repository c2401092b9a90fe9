import type { HttpAnswer } from "../../src/http.ts";
import { withCallText, withText, type Fault } from "./open-target.ts";

/** A service that breaks one requirement, and keeps the rest. */
export interface Broken {
  readonly check: string;
  readonly requirement: string;
  readonly what: string;
  /** Whether the quick lane has it: one or two of each check, found soon. */
  readonly isQuick?: boolean;
  /** Made anew for each test: some keep what they have seen. */
  readonly fault: () => Fault;
}

const answers =
  (change: (text: string) => string, where: RegExp = /./): (() => Fault) =>
  () =>
  async (call, next) => {
    const answer = await next(call);
    return where.test(call.path) ? withText(answer, change) : answer;
  };
const calls =
  (change: (text: string) => string): (() => Fault) =>
  () =>
  (call, next) =>
    next(withCallText(call, change));
const statuses =
  (from: number, to: number): (() => Fault) =>
  () =>
  async (call, next) => {
    const answer = await next(call);
    return answer.status === from
      ? { ...withText(answer, (text) => text.replaceAll(String(from), String(to))), status: to }
      : answer;
  };
const refund = (status: string): HttpAnswer => ({
  status: 201,
  headers: { "content-type": "application/json" },
  body: Buffer.from(
    `{"paymentId":"ref_made_up","paymentStatus":"${status}","clientReferenceId":null}`,
  ),
});
const keyOf = (body: unknown): string =>
  /"requestKey":"([^"]*)"/.exec(Buffer.from(body as string).toString())?.[1] ?? "";

export const broken: readonly Broken[] = [
  {
    check: "provider/amounts",
    requirement: "P-REFUND-AMOUNT",
    what: "cuts digits beyond the second",
    fault: calls((text) => text.replace(/("value":\d+\.\d\d)\d+/, "$1")),
  },
  {
    check: "provider/amounts",
    requirement: "P-REFUND-AMOUNT",
    what: "takes zero for a cent",
    fault: calls((text) => text.replace(/"value":0(\.0+)?}/, '"value":0.01}')),
  },
  {
    check: "provider/amounts",
    requirement: "P-REFUND-AMOUNT",
    what: "takes amounts as text",
    fault: calls((text) => text.replace(/"value":"([\d.]+)"/, '"value":$1')),
  },
  {
    check: "provider/amounts",
    requirement: "P-REFUND-AMOUNT",
    what: "loses a cent on the way through a binary fraction",
    fault: calls((text) => text.replace(/"value":(\d+)\.99}/, '"value":$1.98}')),
  },
  {
    check: "provider/request-keys",
    requirement: "P-REFUND-KEY",
    what: "makes a refund for every call",
    isQuick: true,
    fault: () => {
      let count = 0;
      return (call, next) =>
        next(withCallText(call, (text) => text.replace('"requestKey":"', `$&${String(count++)}`)));
    },
  },
  {
    check: "provider/request-keys",
    requirement: "P-REFUND-KEY-EXISTING",
    what: "says of every second call that it is the same",
    fault: answers((text) => text.replace('"sameRequest":false', '"sameRequest":true')),
  },
  {
    check: "provider/request-keys",
    requirement: "P-REFUND-KEY-EXISTING",
    what: "does not tell which refund has the key",
    fault: answers((text) => text.replace(/,"existing":\{[^}]*\}/, "")),
  },
  {
    check: "provider/request-keys",
    requirement: "P-REFUND-KEY-FREE",
    what: "takes the key of a refused call",
    fault: () => {
      const seen = new Set<string>();
      return async (call, next) => {
        const key = keyOf(call.body);
        const isKnown = seen.has(key);
        seen.add(key);
        const answer = await next(call);
        return isKnown && answer.status === 201
          ? {
              ...answer,
              status: 409,
              headers: { ...answer.headers, "content-type": "application/problem+json" },
              body: Buffer.from(
                '{"type":"about:blank","title":"Taken","status":409,"errorDetails":{"errorCode":"DUPLICATE_REQUEST_KEY","errorMessage":"Taken."}}',
              ),
            }
          : answer;
      };
    },
  },
  {
    check: "provider/over-refund",
    requirement: "P-REFUND-SUM",
    what: "refunds more than was paid",
    isQuick: true,
    fault: () => async (call, next) => {
      const answer = await next(call);
      return answer.status === 422 ? refund("PENDING") : answer;
    },
  },
  {
    check: "provider/over-refund",
    requirement: "P-REFUND-SUM",
    what: "keeps back a cent that could be refunded",
    fault: calls((text) => text.replace('"value":10.00}', '"value":10.01}')),
  },
  {
    check: "provider/refund-states",
    requirement: "P-REFUND-PENDING",
    what: "moves money before the threshold",
    isQuick: true,
    fault: answers((text) =>
      text.replace(/^(\{"paymentId":"\w+","paymentStatus":)"PENDING"/, '$1"AUTHORIZED"'),
    ),
  },
  {
    check: "provider/refund-states",
    requirement: "P-REFUND-AUTHORIZED",
    what: "never tells that the money moves",
    fault: answers((text) => text.replace(/("existing":.*)"AUTHORIZED"/, '$1"PENDING"')),
  },
  {
    check: "provider/refund-states",
    requirement: "P-REFUND-IMMEDIATE",
    what: "holds what is past its threshold",
    fault: answers((text) =>
      text.replace(/^(\{"paymentId":"\w+","paymentStatus":)"AUTHORIZED"/, '$1"PENDING"'),
    ),
  },
  {
    check: "provider/refund-states",
    requirement: "P-REFUND-FAILED",
    what: "pays a customer who was not debited",
    fault: () => async (call, next) => {
      const answer = await next(call);
      const isFailed = /^\{"paymentId":"\w+","paymentStatus":"TERMINAL/.test(
        Buffer.from(answer.body).toString(),
      );
      return isFailed ? refund("AUTHORIZED") : answer;
    },
  },
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
      let first: string | undefined;
      return async (call, next) => {
        const answer = await next(call);
        if (!call.path.endsWith("/subscribe")) return answer;
        return withText(answer, (text) => (first ??= text));
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
];
