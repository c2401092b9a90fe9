import type { HttpAnswer } from "@countersign/contract-kit";
import type { FaultTable } from "../matrix.ts";
import {
  answering,
  answers,
  calling,
  calls,
  type Change,
  made,
  refund,
  remembering,
  statuses,
  textOf,
  withCallText,
  withText,
} from "./changes.ts";

const MADE_PENDING = /^(\{"paymentId":"\w+","paymentStatus":)"PENDING"/;
const MADE_AUTHORIZED = /^(\{"paymentId":"\w+","paymentStatus":)"AUTHORIZED"/;
const PAYMENT_NAMES = `"type":"EVENT","details":["payment.created","payment.authorized","payment.succeeded","payment.failed","payment.canceled"]`;
const TAKEN = made(409, {
  type: "about:blank",
  title: "Taken",
  status: 409,
  errorDetails: { errorCode: "DUPLICATE_REQUEST_KEY", errorMessage: "Taken." },
});

/** Mistakes in refunds and in subscriptions, by check and requirement. */
export const refundFaults: FaultTable<Change> = {
  "provider/amounts P-REFUND-AMOUNT: cuts digits after the second": calls((text) =>
    text.replace(/("value":\d+\.\d\d)\d+/, "$1"),
  ),
  "provider/request-keys P-REFUND-KEY: makes a refund for every call": remembering<number>(
    (seen) => (call, next) => {
      // The kit's own keys: those of invalid requests have another form.
      const key = /"requestKey":"check-([^"]{1,40})"/.exec(textOf(call))?.[1];
      if (key === undefined) return next(call);
      const count = seen.get(key) ?? 0;
      seen.set(key, count + 1);
      const again = (text: string): string => text.replace('"requestKey":"', `$&${count}`);
      return next(count === 0 ? call : withCallText(call, again));
    },
  ),
  "provider/request-keys P-REFUND-KEY-EXISTING: does not name the existing refund": answers(
    (text) => text.replace(/,"existing":\{[^}]*\}/, ""),
  ),
  "provider/request-keys P-REFUND-KEY-FREE: reserves the key of a refused call": remembering<true>(
    (seen) => async (call, next) => {
      const key = /"requestKey":"([^"]*)"/.exec(textOf(call))?.[1] ?? "";
      const isKnown = seen.has(key);
      seen.set(key, true);
      const answer = await next(call);
      return isKnown && answer.status === 201 ? TAKEN : answer;
    },
  ),
  "provider/key-scope P-REFUND-KEY-SPELLING: folds the case of keys": calls((text) =>
    text.replace(/"requestKey":"[^"]*"/, (key) => key.toLowerCase().replace("key", "Key")),
  ),
  "provider/key-scope P-REFUND-KEY-DEBIT: makes a refund with a debit's key": answering((answer) =>
    answer.status === 409 && !textOf(answer).includes('"existing"') ? refund("PENDING") : answer,
  ),
  "provider/calendar P-REFUND-CALENDAR: works on Independence Day": calling(async (call, next) => {
    const answer = await next(call);
    if (!MADE_PENDING.test(textOf(answer))) return answer;
    // Of a settlement on Monday, 3 July 2028: the third business day is Friday.
    const { authorization = "" } = call.headers;
    const clock = await next({ method: "GET", path: "/sandbox/clock", headers: { authorization } });
    return /"2028-07-06T|"2028-07-07T03/.test(textOf(clock))
      ? withText(answer, (text) => text.replace('"PENDING"', '"AUTHORIZED"'))
      : answer;
  }),
  "provider/unsubscribing P-SUBSCRIBE-LIMIT: accepts any number of subscriptions": answering(
    (answer) =>
      textOf(answer).includes("SUBSCRIPTION_LIMIT_REACHED")
        ? made(200, { subscriptionKey: "sub_one_more" })
        : answer,
  ),
  "provider/over-refund P-REFUND-SUM: refunds more than was paid": answering((answer) =>
    answer.status === 422 && textOf(answer).includes("EXCEEDS") ? refund("PENDING") : answer,
  ),
  "provider/refund-states P-REFUND-PENDING: moves money before the threshold": answers((text) =>
    text.replace(MADE_PENDING, '$1"AUTHORIZED"'),
  ),
  "provider/refund-states P-REFUND-AUTHORIZED: never reports that the money moves": answers(
    (text) => text.replace(/("existing":.*)"AUTHORIZED"/, '$1"PENDING"'),
  ),
  "provider/refund-states P-REFUND-IMMEDIATE: holds a refund past its threshold": answers((text) =>
    text.replace(MADE_AUTHORIZED, '$1"PENDING"'),
  ),
  "provider/refund-states P-REFUND-FAILED: pays a customer who was not debited": answers((text) =>
    text.startsWith('{"paymentId"')
      ? text.replace('"TERMINAL_FAILED"', '"AUTHORIZED"').replace(/,"errorDetails":\{[^}]*\}/, "")
      : text,
  ),
  "provider/refund-states P-REFUND-STATUS-CODE: answers a failed refund with 200": answering(
    (answer) =>
      answer.status === 201 && textOf(answer).includes("TERMINAL_FAILED")
        ? { ...answer, status: 200 }
        : answer,
  ),
  "provider/refund-states P-REFUND-HOLD-SETTLEMENT: reports an early refund as sent": answers(
    (text) => text.replace(/("existing":.*)"PENDING"/, '$1"AUTHORIZED"'),
  ),
  "provider/refund-states P-REFUND-FINAL: takes back a refund that it has sent": answers((text) =>
    text.replace(/("existing":.*)"AUTHORIZED"/, '$1"TERMINAL_FAILED"'),
  ),
  "provider/refund-edges P-REFUND-ID: answers with the debit's id": answering((answer, call) => {
    const asked = /"paymentId":"[^"]*"/.exec(textOf(call))?.[0] ?? "";
    return answer.status === 201
      ? withText(answer, (text) => text.replace(/"paymentId":"[^"]*"/, asked))
      : answer;
  }),
  "provider/refund-edges P-REFUND-NOT-FOUND: answers an unknown payment with 400": statuses(
    404,
    400,
    /^POST \/v1\/refunds/,
  ),
  "provider/refund-edges P-REFUND-OF-REFUND: refunds refunds": answering((answer) =>
    answer.status === 422 && textOf(answer).includes("NOT_REFUNDABLE") ? refund("PENDING") : answer,
  ),
  "provider/refund-edges P-REFUND-FAILED-FIRST: checks the amount before the debit's failure":
    answering((answer, call) => (textOf(call).includes("9999.00") ? refund("PENDING") : answer)),
  "provider/selection P-SUBSCRIBE-SELECT: treats the first word of names as the category": calls(
    (text) => text.replace(/"type":"CATEGORY","details":\["PAYMENT"\]/, PAYMENT_NAMES),
  ),
  "provider/subscriptions P-UNSUBSCRIBE-SUBTRACT: acknowledges an unsubscription without effect":
    remembering<string>((keys) => async (call, next) => {
      // Each merchant's own keys: anybody else's are refused as ever.
      const { authorization = "" } = call.headers;
      const asked = /^\{"subscriptionId":"([^"]*)","subscriptionDetails":\{"type":"[A-Z]+"/;
      const key = asked.exec(textOf(call))?.[1] ?? "";
      if (call.path.endsWith("/unsubscribe") && keys.get(key) === authorization)
        return made(200, { subscriptionKey: key });
      const answer = await next(call);
      const given = /^\{"subscriptionKey":"([^"]*)"/.exec(textOf(answer))?.[1];
      if (given !== undefined) keys.set(given, authorization);
      return answer;
    }),
  "provider/subscriptions P-SUBSCRIBE-KEY: gives every subscription the same key":
    remembering<HttpAnswer>((first) => async (call, next) => {
      const answer = await next(call);
      if (!call.path.endsWith("/subscribe") || answer.status !== 200) return answer;
      const merchant = call.headers["authorization"] ?? "";
      first.set(merchant, first.get(merchant) ?? answer);
      return first.get(merchant) ?? answer;
    }),
  "provider/unsubscribing P-SUBSCRIBE-UNKNOWN: accepts a subscription to unknown events": calls(
    (text) => text.replace("no.such.event", "payment.created"),
  ),
  "provider/unsubscribing P-UNSUBSCRIBE-ID: ignores one of two contradicting keys": calling(
    (call, next) => next({ ...call, path: call.path.replace(/\?.*/, "") }),
  ),
  "provider/unsubscribing P-UNSUBSCRIBE-KEY: answers an unsubscription with another key": answers(
    (text) => text.replace(/"sub_[\w-]+"/, '"sub_1"'),
    /unsubscribe/,
  ),
  "provider/unsubscribing P-UNSUBSCRIBE-NOT-FOUND: answers an unknown subscription with 400":
    statuses(404, 400, /unsubscribe/),
  "provider/unsubscribing P-SUBSCRIBE-ALL-DETAILS: refuses details with ALL": calls((text) =>
    text.replace(/"type":"ALL"(,"details":\["payment\.created"\]\})/, '"type":"NONE"$1'),
  ),
  "provider/unsubscribing P-UNSUBSCRIBE-CLOSED: forgets a closed subscription": remembering<true>(
    (closed) => async (call, next) => {
      const key = /"subscriptionId":"([^"]*)"/.exec(textOf(call))?.[1];
      if (key === undefined) return next(call);
      if (closed.has(key)) return next(withCallText(call, (text) => text.replace(key, "sub_gone")));
      const answer = await next(call);
      if (answer.status === 200) closed.set(key, true);
      return answer;
    },
  ),
};
