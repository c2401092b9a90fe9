import { edited, membersAt, numberText, parsed, type ProviderFault, textOf } from "./edits.ts";
import {
  accepts,
  afterState,
  answers,
  call,
  codeOf,
  isFailed,
  misreads,
  misreadsAmount,
  misspeaks,
  REFUNDS,
  refusal,
  restatus,
} from "./mistakes.ts";

/** Refunds that are answered wrongly, or made of other calls than those that were sent. */
export const refundFaults: readonly ProviderFault[] = [
  {
    id: "amount-float-cents",
    fails: "P-REFUND-AMOUNT",
    breaks:
      "S 2.1: cents are computed with a float and truncated, so that 19.99 is 1998 cents: the customer gets a cent less, and the merchant can refund a cent more.",
    plant: call(() =>
      misreadsAmount((text) =>
        /^\d+\.\d\d$/.test(text) ? (Math.trunc(Number(text) * 100) / 100).toFixed(2) : undefined,
      ),
    ),
  },
  {
    id: "amount-judged-as-double",
    fails: "P-REFUND-AMOUNT",
    breaks:
      "S 2.1: the parsed double is judged instead of the text, so that more than two digits pass if the double hides them: a client's rounding error moves money.",
    plant: call(() => misreadsAmount((text) => (text === "" ? undefined : String(Number(text))))),
  },
  {
    id: "amount-exponent",
    fails: "P-REFUND-AMOUNT",
    breaks:
      "S 2.1: an amount with an exponent (1e2) is taken, although it is not a decimal number with at most two digits.",
    plant: call(() => misreadsAmount((text) => text.replace(/e.*$/i, "") || undefined)),
  },
  {
    id: "amount-smallest-refused",
    fails: "P-REFUND-VALID",
    breaks: "S 2.1: a refund of 0.01 is refused: the merchant cannot pay back the last cent.",
    plant: call(() => misreadsAmount((text) => (text === "0.01" ? "0" : undefined))),
  },
  {
    id: "over-refund",
    fails: "P-REFUND-AMOUNT",
    breaks: "S 4.1: a refund of more than remains is answered as made.",
    plant: call(accepts("REFUND_AMOUNT_EXCEEDS_REMAINING", "PAYMENT_ALREADY_REFUNDED")),
  },
  {
    id: "over-refund-code",
    fails: "P-ANSWER-FORM",
    breaks:
      "S 7.4: the error of a wholly refunded payment is that of a too large amount; a client that shows the remaining amount is misled.",
    plant: call(() =>
      answers((answer) =>
        codeOf(answer) === "PAYMENT_ALREADY_REFUNDED"
          ? {
              ...answer,
              body: Buffer.from(
                textOf(answer.body).replaceAll(
                  "PAYMENT_ALREADY_REFUNDED",
                  "REFUND_AMOUNT_EXCEEDS_REMAINING",
                ),
              ),
            }
          : undefined,
      ),
    ),
  },
  {
    id: "over-refund-cut",
    fails: "P-REFUND-SUM",
    breaks:
      "S 4.1: a refund of more than remains is made with less, and answered as if it were the one asked for.",
    plant: call(() => async (one, next) => {
      const answer = await next(one);
      if (codeOf(answer) !== "REFUND_AMOUNT_EXCEEDS_REMAINING") return answer;
      return misreadsAmount(() => "0.01")(one, next);
    }),
  },
  {
    id: "key-case",
    fails: "P-REFUND-KEY-SPELLING",
    breaks:
      "S 4.1, rule 1: keys that differ in case only count as equal, so that a merchant's second refund is refused.",
    plant: call(() =>
      misreads(REFUNDS, ({ requestKey, ...members }) =>
        typeof requestKey === "string"
          ? { ...members, requestKey: requestKey.toLowerCase() }
          : undefined,
      ),
    ),
  },
  {
    id: "key-per-payment",
    fails: "P-REFUND-KEY",
    breaks:
      "S 4.1, rule 1: a key counts for one payment only, so that the same key makes a second refund on another payment.",
    plant: call(() =>
      misreads(REFUNDS, (members) => {
        const { paymentId, requestKey } = members;
        if (typeof paymentId !== "string" || typeof requestKey !== "string") return undefined;
        return { ...members, requestKey: `${paymentId.slice(-6)}${requestKey}`.slice(0, 255) };
      }),
    ),
  },
  {
    id: "key-same-request",
    fails: "P-REFUND-KEY-EXISTING",
    breaks:
      "SameRequest is true although the amount differs: a client takes the existing refund for the one that it asked for.",
    plant: call(() =>
      answers((answer) => ({
        ...answer,
        body: Buffer.from(
          textOf(answer.body).replace(/"sameRequest": ?false/, '"sameRequest":true'),
        ),
      })),
    ),
  },
  {
    id: "failed-debit-refused",
    fails: "P-REFUND-STATUS-CODE",
    breaks:
      "S 3.1: a refund of a failed payment is refused with 422 instead of being a TERMINAL_FAILED record with errorDetails.",
    plant: call(() =>
      answers((answer) =>
        isFailed(answer) ? refusal(answer, 422, "PAYMENT_NOT_REFUNDABLE") : undefined,
      ),
    ),
  },
  {
    id: "failed-is-pending",
    fails: "P-REFUND-FAILED",
    breaks: "S 3.1: a refund of a failed payment is PENDING instead of TERMINAL_FAILED.",
    plant: call(() =>
      misspeaks(REFUNDS, (members) => {
        const { errorDetails, ...others } = members;
        return errorDetails === undefined ? undefined : { ...others, paymentStatus: "PENDING" };
      }),
    ),
  },
  {
    id: "late-failure-takes-back",
    fails: "P-REFUND-FINAL",
    breaks:
      "An AUTHORIZED refund fails when its payment fails later, although its money is moving.",
    plant: afterState(/^the payment (?:fails|is covered)$/, (members) =>
      members["paymentStatus"] === "AUTHORIZED"
        ? { ...members, paymentStatus: "TERMINAL_FAILED" }
        : undefined,
    ),
  },
  {
    id: "pending-for-ever",
    fails: "P-REFUND-AUTHORIZED",
    breaks: "S 3.1: a refund that waits for its payment is never AUTHORIZED.",
    plant: call(() => {
      const first = new Map<unknown, unknown>();
      return answers((answer, one) => {
        const { requestKey } = parsed(one.body) ?? {};
        const { paymentStatus } = parsed(answer.body) ?? {};
        if (answer.status < 300) first.set(requestKey, paymentStatus);
        if (first.get(requestKey) !== "PENDING" || answer.status < 300) return undefined;
        const body = textOf(answer.body).replace('"AUTHORIZED"', '"PENDING"');
        return { ...answer, body: Buffer.from(body) };
      });
    }),
  },
  {
    id: "reference-absent-empty",
    fails: "P-REFUND-REFERENCE",
    breaks: "An absent clientReferenceId is answered as an empty text instead of null.",
    plant: call(() =>
      misspeaks(REFUNDS, (members) =>
        members["clientReferenceId"] === null ? { ...members, clientReferenceId: "" } : undefined,
      ),
    ),
  },
  {
    id: "descriptor-underscore",
    fails: "P-REFUND-DESCRIPTOR",
    breaks:
      "S 4.1: a softDescriptor with an underscore is taken (the pattern is \\w), although it must be alphanumeric.",
    plant: call(() =>
      misreads(REFUNDS, (members) =>
        typeof members["softDescriptor"] === "string"
          ? { ...members, softDescriptor: members["softDescriptor"].replaceAll("_", " ") }
          : undefined,
      ),
    ),
  },
  {
    id: "reference-cut",
    fails: "P-REFUND-REFERENCE",
    breaks:
      "S 4.1: the last character of a clientReferenceId is cut, so that the merchant does not recognize the refund.",
    plant: call(() =>
      misspeaks(REFUNDS, (members) =>
        typeof members["clientReferenceId"] === "string"
          ? { ...members, clientReferenceId: members["clientReferenceId"].slice(0, -1) }
          : undefined,
      ),
    ),
  },
  {
    id: "reference-alias",
    fails: "P-REFUND-REFERENCE-ALIAS",
    breaks:
      "S 4.1: the second spelling of clientReferenceId is ignored: the merchant's reference is lost.",
    plant: call(() =>
      misreads(REFUNDS, (members) => {
        const { clientRefefenceId: _, ...others } = members;
        return others;
      }),
    ),
  },
  {
    id: "key-of-refusal",
    fails: "P-REFUND-KEY-FREE",
    breaks:
      "S 4.1: a refused call keeps its key, so that the corrected call is refused as a duplicate.",
    plant: call(() => {
      const refused = new Set<unknown>();
      return async (one, next) => {
        const answer = await next(one);
        const { requestKey } = parsed(one.body) ?? {};
        if (
          one.path === REFUNDS &&
          answer.status >= 400 &&
          codeOf(answer) !== "DUPLICATE_REQUEST_KEY"
        )
          refused.add(requestKey);
        return answer.status === 201 && refused.has(requestKey)
          ? refusal(answer, 409, "DUPLICATE_REQUEST_KEY")
          : answer;
      };
    }),
  },
  {
    id: "currency-ignored",
    fails: "P-REFUND-CURRENCY",
    breaks: "S 2.1: an amount in another currency is refunded in dollars.",
    plant: call(() =>
      misreads(REFUNDS, (members) =>
        "amount" in members
          ? { ...members, amount: { ...membersAt(members, "amount"), currency: "USD" } }
          : undefined,
      ),
    ),
  },
  {
    id: "debit-key-free",
    fails: "P-REFUND-KEY-DEBIT",
    breaks:
      "S 4.1, rule 1: the key of a debit can be used again for a refund, although keys are unique among all payments.",
    plant: call(() => {
      const made = new Set<unknown>();
      return async (one, next) => {
        const answer = await next(one);
        const { requestKey } = parsed(one.body) ?? {};
        if (answer.status === 201) made.add(requestKey);
        if (codeOf(answer) !== "DUPLICATE_REQUEST_KEY" || made.has(requestKey)) return answer;
        return misreads(REFUNDS, (members) => ({
          ...members,
          requestKey: `${String(requestKey)} refund`,
        }))(one, next);
      };
    }),
  },
  {
    id: "pending-authorized",
    fails: "P-REFUND-PENDING",
    breaks:
      "S 3.1: a refund of a payment that has not settled is AUTHORIZED at once: money moves that was never received.",
    plant: call(() =>
      misspeaks(REFUNDS, (members) =>
        members["paymentStatus"] === "PENDING"
          ? { ...members, paymentStatus: "AUTHORIZED" }
          : undefined,
      ),
    ),
  },
  {
    id: "authorized-pending",
    fails: "P-REFUND-IMMEDIATE",
    breaks: "S 3.1: a refund of a payment whose hold is over is answered PENDING.",
    plant: call(() =>
      answers((answer) => {
        if (answer.status !== 201) return undefined;
        const body = textOf(answer.body).replace('"AUTHORIZED"', '"PENDING"');
        return { ...answer, body: Buffer.from(body) };
      }),
    ),
  },
  {
    id: "hold-skipped",
    fails: "P-REFUND-HOLD-SETTLEMENT",
    breaks:
      "S 3.1: a refund that waits for its payment is AUTHORIZED when that settles, without the hold.",
    plant: afterState(/^the payment settles$/, (members) =>
      members["paymentStatus"] === "PENDING"
        ? { ...members, paymentStatus: "AUTHORIZED" }
        : undefined,
    ),
  },
  {
    id: "refund-id",
    fails: "P-REFUND-ID",
    breaks: "S 2.2: the answer has the id of the original payment instead of the refund's.",
    plant: call(() =>
      answers((answer, one) =>
        answer.status === 201
          ? {
              ...answer,
              body: edited(answer.body, (members) => ({
                ...members,
                paymentId: parsed(one.body)?.["paymentId"],
              })),
            }
          : undefined,
      ),
    ),
  },
  {
    id: "payment-not-found-400",
    fails: "P-REFUND-NOT-FOUND",
    breaks: "S 7: a refund of an unknown payment is answered 400 instead of 404.",
    plant: call(() => restatus("PAYMENT_NOT_FOUND", 400)),
  },
  {
    id: "refund-of-refund",
    fails: "P-REFUND-OF-REFUND",
    breaks: "S 3.1: a refund of a refund is answered as if it had been made.",
    plant: call(accepts("PAYMENT_NOT_REFUNDABLE")),
  },
  {
    id: "amount-before-failure",
    fails: "P-REFUND-FAILED-FIRST",
    breaks:
      "S 3.1: the amount is judged before the failure of the payment, so that a failed payment is answered 422.",
    plant: call(() =>
      answers((answer, one) =>
        isFailed(answer) &&
        Number(numberText(membersAt(parsed(one.body), "amount")["value"])) > 1000
          ? refusal(answer, 422, "REFUND_AMOUNT_EXCEEDS_REMAINING")
          : undefined,
      ),
    ),
  },
  {
    id: "isolation-payment",
    fails: "P-FOREIGN-404",
    breaks:
      "A refund of another merchant's payment is answered 422, which tells that the payment exists.",
    plant: call(() => restatus("PAYMENT_NOT_FOUND", 422)),
  },
  {
    id: "key-of-a-day",
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
        call: async (one, next) => {
          const { requestKey } = parsed(one.body) ?? {};
          if (one.path !== REFUNDS || typeof requestKey !== "string") return next(one);
          if (isLater && used.has(requestKey)) {
            const key = `${requestKey}-later`;
            return next({
              ...one,
              body: edited(one.body ?? "", (members) => ({ ...members, requestKey: key })),
            });
          }
          used.add(requestKey);
          return next(one);
        },
      };
    },
  },
  {
    id: "reference-composed",
    fails: "P-REFUND-REFERENCE",
    breaks: "S 2.2: a clientReferenceId is normalized, and the merchant's own text is not found.",
    plant: call(() =>
      misreads(REFUNDS, (members) =>
        typeof members["clientReferenceId"] === "string"
          ? { ...members, clientReferenceId: members["clientReferenceId"].normalize("NFC") }
          : undefined,
      ),
    ),
  },
  {
    id: "currency-any-case",
    fails: "P-REFUND-CURRENCY",
    breaks: "S 2.1: usd is taken as USD.",
    plant: call(() =>
      misreads(REFUNDS, (members) => {
        const amount = membersAt(members, "amount");
        const { currency } = amount;
        return typeof currency === "string"
          ? { ...members, amount: { ...amount, currency: currency.toUpperCase() } }
          : undefined;
      }),
    ),
  },
  {
    id: "descriptor-newline",
    fails: "P-REFUND-DESCRIPTOR",
    breaks: "S 4.1: a softDescriptor with a line break at its end is taken.",
    plant: call(() =>
      misreads(REFUNDS, (members) =>
        typeof members["softDescriptor"] === "string"
          ? { ...members, softDescriptor: members["softDescriptor"].replace(/\n$/, "") }
          : undefined,
      ),
    ),
  },
];
