import { answers, statuses, refund, withText, type Broken } from "./fault-kinds.ts";

/** Of the states that a refund enters, and of what it is of. */
export const stateFaults: readonly Broken[] = [
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
    fault: answers((text) =>
      text.startsWith('{"paymentId"')
        ? text.replace('"TERMINAL_FAILED"', '"AUTHORIZED"').replace(/,"errorDetails":\{[^}]*\}/, "")
        : text,
    ),
    also: { "P-REFUND-FAILED-FIRST": "the failure is judged, and what comes of it is not told" },
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
    also: {
      "P-REFUND-KEY-EXISTING": "the answer to a second call names the refund's own id",
      "P-EVENT-EACH-STATE": "events are of the refund's own id",
    },
  },
  {
    check: "provider/refund-edges",
    requirement: "P-REFUND-NOT-FOUND",
    what: "answers an unknown payment 400",
    fault: statuses(404, 400, /^POST \/v1\/refunds/),
    also: { "P-FOREIGN-404": "another merchant's payment is answered like one that is not there" },
  },
  {
    check: "provider/refund-edges",
    requirement: "P-REFUND-OF-REFUND",
    what: "refunds refunds",
    fault: () => async (call, next) => {
      const answer = await next(call);
      const isOfRefund = Buffer.from(answer.body).includes("NOT_REFUNDABLE");
      return answer.status === 422 && isOfRefund ? refund("PENDING") : answer;
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
    also: {
      "P-REFUND-FAILED-FIRST": "a refund that failed is one that was made",
      "P-EVENT-EACH-STATE": "a refund that failed is one that was made",
    },
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
    check: "provider/refund-states",
    requirement: "P-REFUND-FINAL",
    what: "takes back what it has sent",
    fault: answers((text) => text.replace(/("existing":.*)"AUTHORIZED"/, '$1"TERMINAL_FAILED"')),
  },
];
