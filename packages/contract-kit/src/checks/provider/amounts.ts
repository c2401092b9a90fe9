import fc from "fast-check";
import { parseAmount } from "@countersign/rules";
import type { Profile } from "@countersign/schemas";
import type { ProviderCheck } from "../../check.ts";
import { amountText, askRefund, isCreated, shown } from "./refunds.ts";
import { playScenario } from "../../harness/scenario.ts";
import type { Session } from "../../harness/session.ts";
import { must } from "../../harness/violation.ts";

const REQUIREMENT = "P-REFUND-AMOUNT";
const requirements = [REQUIREMENT, "P-ANSWER-SCHEMA"];

/** Texts at and around the grammar of amounts, each of which is taken or refused as its text says. */
export const amounts: ProviderCheck = {
  id: "provider/amounts",
  title: "amounts at and around the grammar are judged by their text, to the cent",
  role: "provider",
  requirements,
  run: (target, context) =>
    playScenario({ requirements, needs: ["payments"], arbitrary: texts, play }, target, context),
};

/** Each stands for a way in which a service may read a number wrongly. */
const NEAR = [
  "0",
  "0.0",
  "0.00",
  "-0",
  "-1",
  "-0.01",
  "+1",
  "01",
  "00.10",
  "1.",
  ".5",
  "1.10",
  "1.100",
  "1.005",
  "0.001",
  "0.009",
  "1.0000000000000001",
  "0.1000000000000000055",
  "19.99",
  "1.13",
  "4.35",
  "0.29",
  "99999999.99",
  "100000000",
  "100000000.00",
  "99999999.999",
  "9007199254740993",
  "1e2",
  "1E2",
  "1e-2",
  "1.0e0",
  "0x10",
  "1_0",
  "1,5",
  "NaN",
  "Infinity",
  "null",
  "true",
  "[]",
  "{}",
  '"10.50"',
  '"1"',
  '""',
] as const;

const wellFormed = fc.bigInt({ min: 1n, max: 99_999n }).map(amountText);
const numberLike = fc.stringMatching(/^-?(?:0|[1-9]\d{0,9})(?:\.\d{1,4})?(?:[eE][+-]?\d)?$/);
const texts = fc.array(fc.oneof(fc.constantFrom(...NEAR), wellFormed, numberLike), {
  minLength: 1,
  maxLength: 8,
});

async function play(session: Session, values: readonly string[]): Promise<void> {
  const { profile } = session.target;
  const largest = BigInt(profile.amount.maximumCents);
  const made = await session.controls.payments?.create(largest);
  if (made === undefined) return;
  let remaining = largest;
  for (const text of values) {
    const cents = centsOf(text, profile);
    const answer = await askRefund(session, {
      paymentId: made.paymentId,
      amount: text,
      requestKey: session.key(),
    });
    const wanted =
      cents === undefined
        ? 400
        : cents <= remaining
          ? profile.statuses.refundCreated
          : profile.statuses.business;
    must(REQUIREMENT, answer.status === wanted, () => {
      const verdict =
        cents === undefined ? "is no amount" : `is ${cents} of ${remaining} cents left`;
      return `the amount ${text} ${verdict}: ${wanted} expected, ${shown(answer)} came`;
    });
    if (isCreated(answer, profile)) remaining -= cents ?? 0n;
  }
  if (remaining > 0n) await exhaust(session, made.paymentId, remaining);
}

/** What is left is refunded, and then a cent is too much: each amount was taken to the cent. */
async function exhaust(session: Session, paymentId: string, remaining: bigint): Promise<void> {
  const { profile } = session.target;
  for (const [cents, wanted] of [
    [remaining, profile.statuses.refundCreated],
    [1n, profile.statuses.business],
  ] as const) {
    const amount = amountText(cents);
    const answer = await askRefund(session, { paymentId, amount, requestKey: session.key() });
    must(
      REQUIREMENT,
      answer.status === wanted,
      () => `${remaining} cents must be left: ${amount} expects ${wanted}, ${shown(answer)} came`,
    );
  }
}

/** What a text is worth by the profile; `undefined` where it is no amount. */
function centsOf(text: string, { amount }: Profile): bigint | undefined {
  const isQuoted = text.startsWith('"');
  if (isQuoted && amount.strings === "reject") return undefined;
  const verdict = parseAmount(isQuoted ? text.slice(1, -1) : text, amount);
  if (!verdict.ok) return undefined;
  const { cents } = verdict;
  const isWithin = cents >= BigInt(amount.minimumCents) && cents <= BigInt(amount.maximumCents);
  return isWithin ? cents : undefined;
}
