import { formatAmount, parseAmount } from "@countersign/rules";
import type { Profile } from "@countersign/schemas";
import fc from "fast-check";
import type { ProviderCheck } from "../check.ts";
import { requestRefund, isCreated, prepareDebit } from "./calls.ts";
import { providerCheck } from "./provider-check.ts";
import { summary } from "./session.ts";

const AMOUNT = "P-REFUND-AMOUNT";
const SUM = "P-REFUND-SUM";

/** Each covers one way in which a service may misread a number. */
const NEAR = (
  "0 0.0 0.00 -0 -1 -0.01 +1 01 00.10 1. .5 1.10 1.100 1.005 0.001 0.009 1.0000000000000001 " +
  "0.1000000000000000055 19.99 1.13 4.35 0.29 99999999.99 100000000 100000000.00 99999999.999 " +
  '9007199254740993 1e2 1E2 1e-2 1.0e0 0x10 1_0 1,5 NaN Infinity null true [] {} "10.50" "1" ""'
).split(" ");

const wellFormed = fc.bigInt({ min: 1n, max: 99_999n }).map(formatAmount);
const numberLike = fc.stringMatching(/^-?(?:0|[1-9]\d{0,9})(?:\.\d{1,4})?(?:[eE][+-]?\d)?$/);
const written = fc.oneof(fc.constantFrom(...NEAR), wellFormed, numberLike);

export const amounts: ProviderCheck = providerCheck({
  id: "provider/amounts",
  title: "amounts at and beyond the limits are judged by their text, to the cent",
  arbitrary: () => fc.array(written, { minLength: 1, maxLength: 8 }),
  run: async (session, values) => {
    const { profile } = session;
    const { refundCreated, business } = profile.statuses;
    let remaining = BigInt(profile.amount.maximumCents);
    const { paymentId } = await prepareDebit(session, { cents: remaining });
    const ask = async (amount: string, cents: bigint | undefined): Promise<boolean> => {
      const answer = await requestRefund(session, { paymentId, amount });
      const isLeft = cents !== undefined && cents <= remaining;
      const than = isLeft ? "at most" : "more than";
      const what =
        cents === undefined ? "is not an amount" : `is ${than} the ${remaining} cents left`;
      const wanted = cents === undefined ? 400 : isLeft ? refundCreated : business;
      if (isLeft) remaining -= cents;
      return session.expectStatus(AMOUNT, `the amount ${amount} ${what}`, answer, wanted);
    };
    // After a failure the remainder is unknown.
    for (const text of values) if (!(await ask(text, centsOf(text, profile)))) return;
    if (remaining === 0n) return;
    // After the remainder one more cent is too much: each amount was read exactly.
    for (const cents of [remaining, 1n]) await ask(formatAmount(cents), cents);
  },
});

function centsOf(text: string, { amount }: Profile): bigint | undefined {
  const verdict = parseAmount(text);
  if (!verdict.ok) return undefined;
  const { cents } = verdict;
  const isWithin = cents >= BigInt(amount.minimumCents) && cents <= BigInt(amount.maximumCents);
  return isWithin ? cents : undefined;
}

const PAID = 1000n;

/** An amount, or the remainder plus as much: random amounts rarely meet the bound. */
type Ask = { readonly cents: bigint } | { readonly moreThanLeft: bigint };

const asks: fc.Arbitrary<Ask> = fc.oneof(
  fc.record({ cents: fc.bigInt({ min: 1n, max: PAID }) }),
  fc.record({ moreThanLeft: fc.bigInt({ min: -1n, max: 1n }) }),
);
const bursts = fc.array(asks, { minLength: 1, maxLength: 4 });

export const overRefund: ProviderCheck = providerCheck({
  id: "provider/over-refund",
  title: "refunds of a payment never exceed it, and what remains can be refunded",
  arbitrary: () => fc.array(bursts, { minLength: 1, maxLength: 5 }),
  run: async (session, sequence) => {
    const { profile } = session;
    const { paymentId } = await prepareDebit(session, { cents: PAID });
    let remaining = PAID;
    for (const burst of sequence) {
      const left = remaining;
      const wanted = burst
        .map((ask) => ("cents" in ask ? ask.cents : left + ask.moreThanLeft))
        .filter((cents) => cents > 0n);
      const answers = await Promise.all(
        wanted.map(async (cents) => ({
          cents,
          answer: await requestRefund(session, { paymentId, amount: formatAmount(cents) }),
        })),
      );
      const taken = answers.filter(({ answer }) => isCreated(answer, profile));
      const refused = answers.filter((one) => !taken.includes(one));
      const list = answers.map((one) => `${one.cents} → ${summary(one.answer)}`).join(", ");
      const sum = taken.reduce((total, { cents }) => total + cents, 0n);
      const isWithin = sum <= remaining;
      const more = `refunds of ${sum} cents were made with ${remaining} cents left: ${list}`;
      // The remainder is unknown then.
      if (!session.expect(SUM, isWithin, more)) return;
      remaining -= sum;
      // A refused refund did not fit after the accepted ones: concurrent calls may arrive in any order.
      const fits = refused.some(({ cents }) => cents <= remaining);
      const refusedAll = `a refund within the ${remaining} cents left was refused: ${list}`;
      session.expect(SUM, !fits, refusedAll);
      const { business } = profile.statuses;
      const isStray = refused.some(({ answer }) => answer.status !== business);
      session.expect(SUM, !isStray, `a refusal must be answered ${business}: ${list}`);
    }
  },
});
