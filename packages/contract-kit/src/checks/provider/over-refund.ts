import fc from "fast-check";
import type { ProviderCheck } from "../../check.ts";
import { amountText, askRefund, isCreated, shown } from "./refunds.ts";
import { playScenario } from "../../harness/scenario.ts";
import type { Session } from "../../harness/session.ts";
import { must } from "../../harness/violation.ts";

const REQUIREMENT = "P-REFUND-SUM";
const requirements = [REQUIREMENT, "P-ANSWER-SCHEMA"];

/** Refunds of one payment, some at once, that together are about what was paid. */
export const overRefund: ProviderCheck = {
  id: "provider/over-refund",
  title: "refunds of a payment never exceed it, and what remains can be refunded",
  role: "provider",
  requirements,
  run: (target, context) =>
    playScenario({ requirements, needs: ["payments"], arbitrary: bursts, play }, target, context),
};

const PAID = 1000n;

/** An amount, or what is left with as much more: by chance alone none would meet the bound. */
type Ask = { readonly cents: bigint } | { readonly moreThanLeft: bigint };

const asks: fc.Arbitrary<Ask> = fc.oneof(
  fc.record({ cents: fc.bigInt({ min: 1n, max: PAID }) }),
  fc.record({ moreThanLeft: fc.bigInt({ min: -1n, max: 1n }) }),
);
const bursts = fc.array(fc.array(asks, { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 5,
});

async function play(session: Session, sequence: readonly (readonly Ask[])[]): Promise<void> {
  const { profile } = session.target;
  const made = await session.controls.payments?.create(PAID);
  if (made === undefined) return;
  const { paymentId } = made;
  let remaining = PAID;
  for (const burst of sequence) {
    const left = remaining;
    const amounts = burst
      .map((ask) => ("cents" in ask ? ask.cents : left + ask.moreThanLeft))
      .filter((cents) => cents > 0n);
    const answers = await Promise.all(
      amounts.map(async (cents) => ({
        cents,
        answer: await askRefund(session, {
          paymentId,
          amount: amountText(cents),
          requestKey: session.key(),
        }),
      })),
    );
    const taken = answers.filter(({ answer }) => isCreated(answer, profile));
    const told = answers.map(({ cents, answer }) => `${cents} → ${shown(answer)}`).join(", ");
    const sum = taken.reduce((total, { cents }) => total + cents, 0n);
    must(REQUIREMENT, sum <= remaining, () => `more than the ${remaining} cents left: ${told}`);
    remaining -= sum;
    // Whatever was refused did not fit after what was taken: calls at once may come in any order.
    const wrong = answers.filter(({ answer }) => !isCreated(answer, profile));
    const fits = wrong.find(({ cents }) => cents <= remaining);
    must(REQUIREMENT, fits === undefined, () => `${remaining} cents are left, and yet: ${told}`);
    const stray = wrong.find(({ answer }) => answer.status !== profile.statuses.business);
    must(
      REQUIREMENT,
      stray === undefined,
      () => `too much: ${profile.statuses.business} expected, ${told} came`,
    );
  }
}
