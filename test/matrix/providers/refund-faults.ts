import {
  answers,
  calls,
  statuses,
  refund,
  keyOf,
  withCallText,
  withText,
  type Broken,
} from "./fault-kinds.ts";

export const refundFaults: readonly Broken[] = [
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
  {
    check: "provider/amounts",
    requirement: "P-ANSWER-SCHEMA",
    what: "breaks down over an exponent",
    fault: () => (call, next) =>
      /"value":\d+e/.test(Buffer.from(call.body ?? "").toString())
        ? Promise.reject(new Error("socket hang up"))
        : next(call),
  },
  {
    check: "provider/refund-states",
    requirement: "P-REFUND-FINAL",
    what: "takes back what it has sent",
    fault: answers((text) => text.replace(/("existing":.*)"AUTHORIZED"/, '$1"TERMINAL_FAILED"')),
  },
];
