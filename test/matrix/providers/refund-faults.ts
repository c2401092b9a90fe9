import { answers, calls, refund, keyOf, bodyOf, withCallText, type Broken } from "./fault-kinds.ts";

/** Of amounts, keys and sums. */
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
    what: "takes 0.00 for a cent",
    fault: calls((text) => text.replace(/"value":0\.00}/, '"value":0.01}')),
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
    also: { "P-REFUND-SUM": "the cent that is lost is left of the payment" },
  },
  {
    check: "provider/request-keys",
    requirement: "P-REFUND-KEY",
    what: "makes a refund for every call",
    isQuick: true,
    fault: () => {
      const seen = new Map<string, number>();
      return (call, next) => {
        // The kit's own keys: those of wrong requests have another form.
        const key = /"requestKey":"check-([^"]{1,40})"/.exec(bodyOf(call))?.[1];
        if (key === undefined) return next(call);
        const count = seen.get(key) ?? 0;
        seen.set(key, count + 1);
        const again = (text: string): string =>
          text.replace('"requestKey":"', `$&${String(count)}`);
        return next(count === 0 ? call : withCallText(call, again));
      };
    },
    also: { "P-REFUND-STATUS-CODE": "what is made by second calls is missing for the third" },
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
      const isBeyond = Buffer.from(answer.body).includes("EXCEEDS");
      return answer.status === 422 && isBeyond ? refund("PENDING") : answer;
    },
    also: {
      "P-REFUND-KEY-FREE": "a refund beyond the payment is one of the calls that it refuses",
    },
  },
  {
    check: "provider/over-refund",
    requirement: "P-REFUND-SUM",
    what: "keeps back a cent that could be refunded",
    fault: () => {
      // Of the payments of 10.00 that the check makes: what is left of each, in cents.
      const left = new Map<string, number>();
      return async (call, next) => {
        const [, value = ""] = /"value":(\d+\.\d\d)}/.exec(bodyOf(call)) ?? [];
        const [, payment = ""] = /"paymentId":"([^"]*)"/.exec(bodyOf(call)) ?? [];
        const cents = Math.round(Number(value) * 100);
        const before = left.get(payment) ?? 1000;
        if (cents > 0 && cents === before)
          return next(withCallText(call, (text) => text.replace(`:${value}}`, ":10.01}")));
        const answer = await next(call);
        if (answer.status === 201) left.set(payment, (left.get(payment) ?? 1000) - cents);
        return answer;
      };
    },
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
];
