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
    check: "provider/refund-edges",
    requirement: "P-REFUND-ID",
    what: "answers with the debit's id",
    isQuick: true,
    fault: () => async (call, next) => {
      const asked = /"paymentId":"[^"]*"/.exec(Buffer.from(call.body ?? "").toString())?.[0] ?? "";
      const answer = await next(call);
      return answer.status === 201
        ? withText(answer, (text) => text.replace(/"paymentId":"[^"]*"/, asked))
        : answer;
    },
  },
  {
    check: "provider/refund-edges",
    requirement: "P-REFUND-NOT-FOUND",
    what: "answers an unknown payment 400",
    fault: statuses(404, 400),
  },
  {
    check: "provider/refund-edges",
    requirement: "P-REFUND-OF-REFUND",
    what: "refunds refunds",
    fault: () => async (call, next) => {
      const answer = await next(call);
      return answer.status === 422 ? refund("PENDING") : answer;
    },
  },
  {
    check: "provider/refund-edges",
    requirement: "P-REFUND-FAILED-FIRST",
    what: "judges the amount before the debit's failure",
    fault: () => async (call, next) => {
      const answer = await next(call);
      const isLarge = Buffer.from(call.body ?? "").includes("9999.00");
      return isLarge ? refund("PENDING") : answer;
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
    check: "provider/refund-states",
    requirement: "P-REFUND-STATUS-CODE",
    what: "answers a failed refund 200",
    fault: () => async (call, next) => {
      const answer = await next(call);
      return Buffer.from(answer.body).includes("TERMINAL_FAILED") && answer.status === 201
        ? { ...answer, status: 200 }
        : answer;
    },
  },
  {
    check: "provider/refund-states",
    requirement: "P-REFUND-HOLD-SETTLEMENT",
    what: "tells an early refund as sent",
    fault: answers((text) => text.replace(/("existing":.*)"PENDING"/, '$1"AUTHORIZED"')),
  },
];
