import { parseAmount } from "@countersign/rules";
import type { Profile } from "@countersign/schemas";
import fc from "fast-check";
import type { ProviderCheck } from "../../check.ts";
import { amountText, askRefund, isCreated, pay, shown } from "../../harness/calls.ts";
import { generatedCheck } from "../../harness/scenario.ts";
import type { Session } from "../../harness/session.ts";
import { must } from "../../harness/judge.ts";

const AMOUNT = "P-REFUND-AMOUNT";
const SUM = "P-REFUND-SUM";

/** Each covers one way in which a service may misread a number. */
const NEAR = (
  "0 0.0 0.00 -0 -1 -0.01 +1 01 00.10 1. .5 1.10 1.100 1.005 0.001 0.009 1.0000000000000001 " +
  "0.1000000000000000055 19.99 1.13 4.35 0.29 99999999.99 100000000 100000000.00 99999999.999 " +
  '9007199254740993 1e2 1E2 1e-2 1.0e0 0x10 1_0 1,5 NaN Infinity null true [] {} "10.50" "1" ""'
).split(" ");

const wellFormed = fc.bigInt({ min: 1n, max: 99_999n }).map(amountText);
const numberLike = fc.stringMatching(/^-?(?:0|[1-9]\d{0,9})(?:\.\d{1,4})?(?:[eE][+-]?\d)?$/);

export const amounts: ProviderCheck = generatedCheck({
  id: "provider/amounts",
  title: "amounts at and beyond the limits are judged by their text, to the cent",
  requirements: [AMOUNT],
  arbitrary: () =>
    fc.array(fc.oneof(fc.constantFrom(...NEAR), wellFormed, numberLike), {
      minLength: 1,
      maxLength: 8,
    }),
  play: async (session, values) => {
    const { profile } = session.target;
    const largest = BigInt(profile.amount.maximumCents);
    const { paymentId } = await pay(session, { cents: largest });
    let remaining = largest;
    for (const text of values) {
      const cents = centsOf(text, profile);
      const answer = await askRefund(session, { paymentId, amount: text });
      const wanted =
        cents === undefined
          ? 400
          : cents <= remaining
            ? profile.statuses.refundCreated
            : profile.statuses.business;
      must(AMOUNT, answer.status === wanted, () => {
        const verdict =
          cents === undefined ? "is not an amount" : `is ${cents} of ${remaining} cents left`;
        return `the amount ${text} ${verdict}: expected ${wanted}, got ${shown(answer)}`;
      });
      if (isCreated(answer, profile)) remaining -= cents ?? 0n;
    }
    if (remaining > 0n) await exhaust(session, paymentId, remaining);
  },
});

/** Refunds the remainder, after which one more cent is too much: each amount was read exactly. */
async function exhaust(session: Session, paymentId: string, remaining: bigint): Promise<void> {
  const { statuses } = session.target.profile;
  for (const [cents, wanted] of [
    [remaining, statuses.refundCreated],
    [1n, statuses.business],
  ] as const) {
    const amount = amountText(cents);
    const answer = await askRefund(session, { paymentId, amount });
    must(
      AMOUNT,
      answer.status === wanted,
      () => `${remaining} cents are left: expected ${wanted} for ${amount}, got ${shown(answer)}`,
    );
  }
}

function centsOf(text: string, { amount }: Profile): bigint | undefined {
  const isQuoted = text.startsWith('"');
  if (isQuoted && amount.strings === "reject") return undefined;
  const verdict = parseAmount(isQuoted ? text.slice(1, -1) : text, amount);
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

export const overRefund: ProviderCheck = generatedCheck({
  id: "provider/over-refund",
  title: "refunds of a payment never exceed it, and what remains can be refunded",
  requirements: [SUM],
  arbitrary: () =>
    fc.array(fc.array(asks, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
  play: async (session, sequence) => {
    const { profile } = session.target;
    const { paymentId } = await pay(session, { cents: PAID });
    let remaining = PAID;
    for (const burst of sequence) {
      const left = remaining;
      const cents = burst
        .map((ask) => ("cents" in ask ? ask.cents : left + ask.moreThanLeft))
        .filter((one) => one > 0n);
      const answers = await Promise.all(
        cents.map(async (one) => ({
          cents: one,
          answer: await askRefund(session, { paymentId, amount: amountText(one) }),
        })),
      );
      const taken = answers.filter(({ answer }) => isCreated(answer, profile));
      const told = answers.map((one) => `${one.cents} → ${shown(one.answer)}`).join(", ");
      const sum = taken.reduce((total, one) => total + one.cents, 0n);
      must(SUM, sum <= remaining, () => `more than the ${remaining} cents left: ${told}`);
      remaining -= sum;
      // A refused refund did not fit after the accepted ones: concurrent calls may arrive in any order.
      const refused = answers.filter(({ answer }) => !isCreated(answer, profile));
      const fits = refused.find((one) => one.cents <= remaining);
      must(
        SUM,
        fits === undefined,
        () => `${remaining} cents are left, but the answers are: ${told}`,
      );
      const { business } = profile.statuses;
      const stray = refused.find(({ answer }) => answer.status !== business);
      must(SUM, stray === undefined, () => `too much: expected ${business}, got ${told}`);
    }
  },
});
