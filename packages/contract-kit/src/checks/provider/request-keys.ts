import fc from "fast-check";
import type { ProviderCheck } from "../../check.ts";
import { existingOf, tellsExisting } from "./existing.ts";
import { amountText, askRefund, isCreated, shown, type RefundCall } from "./refunds.ts";
import { playScenario } from "../../harness/scenario.ts";
import { openBeside, type Session } from "../../harness/session.ts";
import { must } from "../../harness/violation.ts";

const UNIQUE = "P-REFUND-KEY";
const EXISTING = "P-REFUND-KEY-EXISTING";
const FREE = "P-REFUND-KEY-FREE";
const UNTOLD = "the profile's answer to a known requestKey does not tell of the refund";
const requirements = [UNIQUE, EXISTING, FREE, "P-ANSWER-SCHEMA"];

/** Calls that share keys, after each other and at once. */
export const requestKeys: ProviderCheck = {
  id: "provider/request-keys",
  title:
    "a requestKey makes one refund at most, also of calls at once, and a refused call leaves it free",
  role: "provider",
  requirements,
  run: (target, context) =>
    playScenario(
      {
        requirements,
        needs: ["payments"],
        ...(!tellsExisting(target.profile) && { unseen: { [EXISTING]: UNTOLD } }),
        arbitrary: steps,
        play,
      },
      target,
      context,
    ),
};

/** `refused` calls are wrong in a way of their own and must take no key. */
interface Step {
  readonly key: number;
  readonly cents: bigint;
  readonly refused?: "amount" | "exceeds" | "payment";
  /** How many equal calls are sent at once. */
  readonly times: number;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record(
    {
      key: fc.nat({ max: 2 }),
      cents: fc.bigInt({ min: 1n, max: 3n }),
      refused: fc.constantFrom("amount", "exceeds", "payment"),
      times: fc.integer({ min: 1, max: 4 }),
    },
    { requiredKeys: ["key", "cents", "times"], noNullPrototype: true },
  ),
  { minLength: 1, maxLength: 8 },
);

interface Made {
  readonly paymentId: unknown;
  readonly cents: bigint;
}

const PAID = 10_000n;

async function play(session: Session, moves: readonly Step[]): Promise<void> {
  const payment = await session.controls.payments?.create(PAID);
  if (payment === undefined) return;
  const made = new Map<number, Made>();
  for (const move of moves) {
    const call = callOf(session, payment.paymentId, move);
    const answers = await Promise.all(
      Array.from({ length: move.times }, () => askRefund(session, call)),
    );
    const known = made.get(move.key);
    const created = answers.filter((one) => isCreated(one, session.target.profile));
    const told = answers.map(shown).join(", ");
    const isReplayed = known?.cents === move.cents && move.refused === undefined;
    if (session.target.profile.refund.duplicate === "replay" && isReplayed) continue;
    if (move.refused !== undefined && known === undefined) {
      must(FREE, created.length === 0, () => `a call that must be refused was answered ${told}`);
      continue;
    }
    // A key that is known may be told before or after what else is wrong with the call.
    const wanted = known === undefined ? 1 : 0;
    const requirement = created.length < wanted ? FREE : UNIQUE;
    must(requirement, created.length === wanted, () => {
      const calls = `${move.times} call${move.times === 1 ? "" : "s at once"}`;
      return `${calls} with a ${known ? "known" : "new"} requestKey: ${wanted} expected to make a refund, ${told} came`;
    });
    const [first] = created;
    const now = known ?? { paymentId: first?.body["paymentId"], cents: move.cents };
    made.set(move.key, now);
    if (move.refused !== undefined) continue;
    for (const answer of answers.filter((one) => one !== first)) {
      requireExisting(session, { answer, known: now, cents: move.cents });
    }
  }
  await elsewhere(session, [...made.keys()]);
}

function callOf(session: Session, paymentId: string, { key, cents, refused }: Step): RefundCall {
  return {
    paymentId: refused === "payment" ? "pay_that_is_not_there" : paymentId,
    amount: refused === "amount" ? "0" : amountText(refused === "exceeds" ? PAID + 1n : cents),
    requestKey: session.key(key),
  };
}

function requireExisting(
  { target: { profile } }: Session,
  { answer, known, cents }: { answer: Parameters<typeof shown>[0]; known: Made; cents: bigint },
): void {
  const { statuses } = profile;
  must(UNIQUE, answer.status === statuses.duplicateKey, () => {
    return `a known requestKey: ${statuses.duplicateKey} expected, ${shown(answer)} came`;
  });
  if (!tellsExisting(profile)) return;
  const existing = existingOf(answer);
  const isSame = existing?.sameRequest === (cents === known.cents);
  const isRight = existing !== undefined && isSame && existing.paymentId === known.paymentId;
  must(EXISTING, isRight, () => {
    const sought = { paymentId: known.paymentId, sameRequest: cents === known.cents };
    return `existing ${JSON.stringify(sought)} expected, ${JSON.stringify(existing)} came`;
  });
}

/** Another merchant's keys are its own. */
async function elsewhere(session: Session, keys: readonly number[]): Promise<void> {
  const [key] = keys;
  const other = key === undefined ? undefined : await openBeside(session);
  const payment = await other?.controls.payments?.create(PAID);
  if (other === undefined || payment === undefined || key === undefined) return;
  const { paymentId } = payment;
  const call = { paymentId, amount: "0.01", requestKey: session.key(key) };
  const answer = await askRefund(other, call);
  must(FREE, isCreated(answer, other.target.profile), () => {
    return `a key that another merchant has used: a refund expected, ${shown(answer)} came`;
  });
}
