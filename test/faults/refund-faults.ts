import {
  instead,
  membersAt,
  numberText,
  parsed,
  type ProviderFaults,
  text,
  textOf,
  within,
} from "./edits.ts";
import {
  accepts,
  afterState,
  amountAs,
  misreadsAmount,
  misreadsText,
  answers,
  answersWith,
  bearerOf,
  call,
  codeOf,
  isFailed,
  misreads,
  misspeaks,
  REFUNDS,
  refusal,
  respoken,
  restatus,
  rewritten,
  withBody,
} from "./mistakes.ts";

/** Refunds that are answered wrongly, or made of other calls than those that were sent. */
export const refundFaults: ProviderFaults = {
  "amount-float-cents": {
    fails: "P-REFUND-AMOUNT",
    breaks: "S 2.1: cents are a truncated float: 19.99 is 1998, and a cent is left to refund.",
    plant: misreadsAmount((amount) =>
      /^\d+\.\d\d$/.test(amount) ? (Math.trunc(Number(amount) * 100) / 100).toFixed(2) : undefined,
    ),
  },
  "amount-judged-as-double": {
    fails: "P-REFUND-AMOUNT",
    breaks: "S 2.1: the parsed double is judged, which hides digits: rounding errors move money.",
    plant: misreadsAmount((amount) => (amount === "" ? undefined : String(Number(amount)))),
  },
  "amount-exponent": {
    fails: "P-REFUND-AMOUNT",
    breaks: "S 2.1: an amount with an exponent (1e2) is taken.",
    plant: misreadsAmount((amount) => amount.replace(/e.*$/i, "") || undefined),
  },
  "amount-smallest-refused": {
    fails: "P-REFUND-VALID",
    breaks: "S 2.1: a refund of 0.01 is refused: the merchant cannot pay back the last cent.",
    plant: misreadsAmount((amount) => (amount === "0.01" ? "0" : undefined)),
  },
  "over-refund": {
    fails: "P-REFUND-AMOUNT",
    breaks: "S 4.1: a refund of more than remains is answered as made.",
    plant: accepts("REFUND_AMOUNT_EXCEEDS_REMAINING", "PAYMENT_ALREADY_REFUNDED"),
  },
  "over-refund-code": {
    fails: "P-ANSWER-FORM",
    breaks: "S 7.4: a wholly refunded payment is answered as one of which something remains.",
    plant: answersWith((answer) =>
      rewritten(answer, "PAYMENT_ALREADY_REFUNDED", "REFUND_AMOUNT_EXCEEDS_REMAINING"),
    ),
  },
  "over-refund-cut": {
    fails: "P-REFUND-SUM",
    breaks: "S 4.1: a refund of more than remains is made with less, and answered as asked.",
    plant: call(() => async (one, next) => {
      const answer = await next(one);
      if (codeOf(answer) !== "REFUND_AMOUNT_EXCEEDS_REMAINING") return answer;
      return next(
        withBody(
          one,
          amountAs(() => "0.01"),
        ),
      );
    }),
  },
  "key-case": {
    fails: "P-REFUND-KEY-SPELLING",
    breaks: "S 4.1, rule 1: keys that differ in case are equal: a second refund is refused.",
    plant: misreadsText("requestKey", (key) => key.toLowerCase()),
  },
  "key-per-payment": {
    fails: "P-REFUND-KEY",
    breaks: "S 4.1, rule 1: a key counts for one payment: with another one it refunds again.",
    plant: misreads(REFUNDS, ({ paymentId, requestKey }) => ({
      requestKey: `${String(paymentId).slice(-6)}${String(requestKey)}`.slice(0, 255),
    })),
  },
  "key-same-request": {
    fails: "P-REFUND-KEY-EXISTING",
    breaks: "SameRequest is true for another amount: a client takes the refund for its own.",
    plant: answersWith((answer) =>
      rewritten(answer, /"sameRequest": ?false/g, '"sameRequest":true'),
    ),
  },
  "failed-debit-refused": {
    fails: "P-REFUND-STATUS-CODE",
    breaks: "S 3.1: a refund of a failed payment is refused with 422, not TERMINAL_FAILED.",
    plant: answersWith(
      (answer) => isFailed(answer) && refusal(answer, 422, "PAYMENT_NOT_REFUNDABLE"),
    ),
  },
  "failed-is-pending": {
    fails: "P-REFUND-FAILED",
    breaks: "S 3.1: a refund of a failed payment is PENDING instead of TERMINAL_FAILED.",
    plant: misspeaks(
      REFUNDS,
      ({ errorDetails }) =>
        errorDetails !== undefined && { errorDetails: undefined, paymentStatus: "PENDING" },
    ),
  },
  "late-failure-takes-back": {
    fails: "P-REFUND-FINAL",
    breaks: "An AUTHORIZED refund fails when its payment fails later: its money is moving.",
    plant: afterState(
      /^the payment (?:fails|is covered)$/,
      instead("paymentStatus", "AUTHORIZED", "TERMINAL_FAILED"),
    ),
  },
  "pending-for-ever": {
    fails: "P-REFUND-AUTHORIZED",
    breaks: "S 3.1: a refund that waits for its payment is never AUTHORIZED.",
    plant: call(() => {
      const first = new Map<unknown, unknown>();
      return answers((answer, one) => {
        const { requestKey } = parsed(one.body) ?? {};
        if (answer.status < 300) first.set(requestKey, parsed(answer.body)?.["paymentStatus"]);
        const isLater = answer.status >= 300 && first.get(requestKey) === "PENDING";
        return isLater && rewritten(answer, '"AUTHORIZED"', '"PENDING"');
      });
    }),
  },
  "reference-absent-empty": {
    fails: "P-REFUND-REFERENCE",
    breaks: "An absent clientReferenceId is answered as an empty text instead of null.",
    plant: misspeaks(REFUNDS, instead("clientReferenceId", null, "")),
  },
  "descriptor-underscore": {
    fails: "P-REFUND-DESCRIPTOR",
    breaks: "S 4.1: a softDescriptor with an underscore is taken (the pattern is \\w).",
    plant: misreadsText("softDescriptor", (one) => one.replaceAll("_", " ")),
  },
  "reference-cut": {
    fails: "P-REFUND-REFERENCE",
    breaks: "S 4.1: a clientReferenceId loses its last character: the refund is not recognized.",
    plant: misspeaks(
      REFUNDS,
      text("clientReferenceId", (one) => one.slice(0, -1)),
    ),
  },
  "reference-alias": {
    fails: "P-REFUND-REFERENCE-ALIAS",
    breaks: "S 4.1: the second spelling of clientReferenceId is ignored: the reference is lost.",
    plant: misreads(REFUNDS, () => ({ clientRefefenceId: undefined })),
  },
  "key-of-refusal": {
    fails: "P-REFUND-KEY-FREE",
    breaks: "S 4.1: a refused call keeps its key: the corrected call is refused as a duplicate.",
    plant: call(() => {
      const refused = new Set<unknown>();
      return answers((answer, one) => {
        const { requestKey } = parsed(one.body) ?? {};
        const isRefused = answer.status >= 400 && codeOf(answer) !== "DUPLICATE_REQUEST_KEY";
        if (one.path === REFUNDS && isRefused) refused.add(requestKey);
        const isCorrected = answer.status === 201 && refused.has(requestKey);
        return isCorrected && refusal(answer, 409, "DUPLICATE_REQUEST_KEY");
      });
    }),
  },
  "currency-ignored": {
    fails: "P-REFUND-CURRENCY",
    breaks: "S 2.1: an amount in another currency is refunded in dollars.",
    plant: misreads(
      REFUNDS,
      (members) => "amount" in members && within("amount", () => ({ currency: "USD" }))(members),
    ),
  },
  "debit-key-free": {
    fails: "P-REFUND-KEY-DEBIT",
    breaks: "S 4.1, rule 1: the key of a debit can be used again for a refund.",
    plant: call(() => {
      const made = new Set<unknown>();
      return async (one, next) => {
        const answer = await next(one);
        const { requestKey } = parsed(one.body) ?? {};
        if (answer.status === 201) made.add(requestKey);
        if (codeOf(answer) !== "DUPLICATE_REQUEST_KEY" || made.has(requestKey)) return answer;
        return next(
          withBody(
            one,
            text("requestKey", (key) => `${key} refund`),
          ),
        );
      };
    }),
  },
  "pending-authorized": {
    fails: "P-REFUND-PENDING",
    breaks: "S 3.1: a refund of an unsettled payment is AUTHORIZED: money moves unreceived.",
    plant: misspeaks(REFUNDS, instead("paymentStatus", "PENDING", "AUTHORIZED")),
  },
  "authorized-pending": {
    fails: "P-REFUND-IMMEDIATE",
    breaks: "S 3.1: a refund of a payment whose hold is over is answered PENDING.",
    plant: answersWith(
      (answer) => answer.status === 201 && rewritten(answer, '"AUTHORIZED"', '"PENDING"'),
    ),
  },
  "hold-skipped": {
    fails: "P-REFUND-HOLD-SETTLEMENT",
    breaks: "S 3.1: a waiting refund is AUTHORIZED when its payment settles, without the hold.",
    plant: afterState(/^the payment settles$/, instead("paymentStatus", "PENDING", "AUTHORIZED")),
  },
  "refund-id": {
    fails: "P-REFUND-ID",
    breaks: "S 2.2: the answer has the id of the original payment instead of the refund's.",
    plant: answersWith(
      (answer, one) =>
        answer.status === 201 &&
        respoken(answer, () => ({ paymentId: parsed(one.body)?.["paymentId"] })),
    ),
  },
  "payment-not-found-400": {
    fails: "P-REFUND-NOT-FOUND",
    breaks: "S 7: a refund of an unknown payment is answered 400 instead of 404.",
    plant: restatus("PAYMENT_NOT_FOUND", 400),
  },
  "refund-of-refund": {
    fails: "P-REFUND-OF-REFUND",
    breaks: "S 3.1: a refund of a refund is answered as if it had been made.",
    plant: accepts("PAYMENT_NOT_REFUNDABLE"),
  },
  "amount-before-failure": {
    fails: "P-REFUND-FAILED-FIRST",
    breaks: "S 3.1: the amount is judged before the payment's failure, which is answered 422.",
    plant: answersWith((answer, one) => {
      const { value } = membersAt(parsed(one.body), "amount");
      const isTooMuch = isFailed(answer) && Number(numberText(value)) > 1000;
      return isTooMuch && refusal(answer, 422, "REFUND_AMOUNT_EXCEEDS_REMAINING");
    }),
  },
  "isolation-payment": {
    fails: "P-FOREIGN-404",
    breaks: "A refund of another merchant's payment is answered 422: the payment exists.",
    plant: restatus("PAYMENT_NOT_FOUND", 422),
  },
  "key-of-a-day": {
    fails: "P-REFUND-KEY",
    breaks: "S 4.1: a requestKey is forgotten after a day: a late repetition pays twice.",
    plant: () => {
      const used = new Set<unknown>();
      let isLater = false;
      return {
        state: (one, next) => {
          isLater ||= textOf(one.body).includes('"to":');
          return next(one);
        },
        call: (one, next) => {
          const { requestKey } = parsed(one.body) ?? {};
          if (one.path !== REFUNDS || typeof requestKey !== "string") return next(one);
          if (isLater && used.has(requestKey))
            return next(withBody(one, () => ({ requestKey: `${requestKey}-later` })));
          used.add(requestKey);
          return next(one);
        },
      };
    },
  },
  "reference-composed": {
    fails: "P-REFUND-REFERENCE",
    breaks: "S 2.2: a clientReferenceId is normalized, and the merchant's own text is not found.",
    plant: misreadsText("clientReferenceId", (one) => one.normalize("NFC")),
  },
  "currency-any-case": {
    fails: "P-REFUND-CURRENCY",
    breaks: "S 2.1: usd is taken as USD.",
    plant: misreads(
      REFUNDS,
      within(
        "amount",
        text("currency", (one) => one.toUpperCase()),
      ),
    ),
  },
  "descriptor-newline": {
    fails: "P-REFUND-DESCRIPTOR",
    breaks: "S 4.1: a softDescriptor with a line break at its end is taken.",
    plant: misreadsText("softDescriptor", (one) => one.replace(/\n$/, "")),
  },
  "amount-int32": {
    fails: "P-REFUND-AMOUNT",
    breaks: "S 2.1: cents are a 32-bit integer: a refund above 21,474,836.47 is refused.",
    plant: misreadsAmount((amount) => (Number(amount) > 21_474_836.47 ? "0" : undefined)),
  },
  "key-race-500": {
    fails: "P-REFUND-KEY",
    breaks: "S 4.1, rule 1: of two calls at once with one key the second is answered 500.",
    plant: call(() => {
      const running = new Set<unknown>();
      return async (one, next) => {
        const { requestKey } = parsed(one.body) ?? {};
        const isSecond = running.has(requestKey);
        running.add(requestKey);
        const answer = await next(one);
        running.delete(requestKey);
        return isSecond && answer.status === 409
          ? refusal(answer, 500, "INTERNAL_SERVER_ERROR")
          : answer;
      };
    }),
  },
  "key-of-all-merchants": {
    fails: "P-REFUND-KEY-FREE",
    breaks: "S 4.1: keys are unique over all merchants: one merchant's key blocks another's.",
    plant: call(() => {
      const owners = new Map<unknown, string>();
      return answers((answer, one) => {
        const { requestKey } = parsed(one.body) ?? {};
        if (answer.status !== 201) return undefined;
        const owner = owners.get(requestKey) ?? bearerOf(one);
        owners.set(requestKey, owner);
        return owner !== bearerOf(one) && refusal(answer, 409, "DUPLICATE_REQUEST_KEY");
      });
    }),
  },
  "key-amount-as-text": {
    fails: "P-REFUND-KEY-EXISTING",
    breaks: "SameRequest is false for 0.1 after 0.10: a client takes its own refund for another.",
    plant: call(() => {
      const texts = new Map<unknown, unknown>();
      return answers((answer, one) => {
        const { requestKey, amount } = parsed(one.body) ?? {};
        const own = JSON.stringify(amount);
        if (answer.status === 201) texts.set(requestKey, own);
        const isRespelt = answer.status === 409 && texts.get(requestKey) !== own;
        return isRespelt && rewritten(answer, /"sameRequest": ?true/g, '"sameRequest":false');
      });
    }),
  },
  "failed-code": {
    fails: "P-REFUND-FAILED",
    breaks: "S 3.1: a refund of a failed payment has another code than CUSTOMER_NOT_DEBITED.",
    plant: answersWith((answer) => rewritten(answer, "CUSTOMER_NOT_DEBITED", "PAYMENT_FAILED")),
  },
  "cover-ignored": {
    fails: "P-REFUND-FAILED",
    breaks: "S 3.1: a PENDING refund goes on when its payment is covered: money moves twice.",
    plant: () => ({
      state: async (one, next) =>
        textOf(one.body).includes('"the payment is covered"')
          ? { status: 200, headers: {}, body: Buffer.from("{}") }
          : next(one),
    }),
  },
};
