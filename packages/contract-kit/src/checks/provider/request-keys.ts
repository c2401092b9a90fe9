import fc from "fast-check";
import type { ProviderCheck } from "../../check.ts";
import {
  amountText,
  askRefund,
  existingOf,
  isCreated,
  pay,
  shown,
  tellsExisting,
  type RefundCall,
  requireStatus,
} from "../../harness/calls.ts";
import { generatedCheck, singleCheck, type Unseen } from "../../harness/scenario.ts";
import { maybe, openBeside, type Reading, type Session } from "../../harness/session.ts";
import { must } from "../../harness/judge.ts";

const UNIQUE = "P-REFUND-KEY";
const EXISTING = "P-REFUND-KEY-EXISTING";
const FREE = "P-REFUND-KEY-FREE";
const SPELLING = "P-REFUND-KEY-SPELLING";
const DEBIT = "P-REFUND-KEY-DEBIT";
const UNTOLD = "the profile's answer to a known requestKey does not tell of the refund";

/** `refused` calls are invalid and must not use up the key. */
interface Step {
  readonly key: number;
  /** The index of its payment, 0 or 1. */
  readonly payment: number;
  readonly cents: bigint;
  readonly refused?: "amount" | "exceeds" | "payment";
  /** Number of equal calls that are sent concurrently. */
  readonly times: number;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record(
    {
      // Few keys, so that most calls repeat one.
      key: fc.nat({ max: 1 }),
      payment: fc.nat({ max: 1 }),
      cents: fc.bigInt({ min: 1n, max: 3n }),
      refused: fc.constantFrom("amount", "exceeds", "payment"),
      times: fc.integer({ min: 1, max: 4 }),
    },
    { requiredKeys: ["key", "payment", "cents", "times"], noNullPrototype: true },
  ),
  { minLength: 3, maxLength: 8 },
);

interface Made {
  readonly paymentId: unknown;
  readonly payment: number;
  readonly cents: bigint;
}

const PAID = 10_000n;

export const requestKeys: ProviderCheck = generatedCheck({
  id: "provider/request-keys",
  title:
    "a requestKey makes at most one refund, also for concurrent calls, and a refused call leaves it free",
  requirements: [UNIQUE, EXISTING, FREE],
  unseen: (profile) => (tellsExisting(profile) ? {} : { [EXISTING]: UNTOLD }),
  arbitrary: () => steps,
  play: async (session, moves) => {
    const payments = [await pay(session, { cents: PAID }), await pay(session, { cents: PAID })];
    const { profile } = session.target;
    const made = new Map<number, Made>();
    for (const move of moves) {
      const call = callOf(session, payments[move.payment]?.paymentId ?? "", move);
      const answers = await Promise.all(
        Array.from({ length: move.times }, () => askRefund(session, call)),
      );
      const known = made.get(move.key);
      const created = answers.filter((one) => isCreated(one, profile));
      const told = answers.map(shown).join(", ");
      const isSame = known?.cents === move.cents && known.payment === move.payment;
      if (profile.refund.duplicate === "replay" && isSame && move.refused === undefined) continue;
      if (move.refused !== undefined && known === undefined) {
        must(FREE, created.length === 0, () => `a call that must be refused was answered ${told}`);
        continue;
      }
      // A known key may be reported before or after the call's other errors.
      const wanted = known === undefined ? 1 : 0;
      const requirement = created.length < wanted ? FREE : UNIQUE;
      must(requirement, created.length === wanted, () => {
        const calls = `${move.times} call${move.times === 1 ? "" : "s at once"}`;
        return `${calls} with a ${known ? "known" : "new"} requestKey: expected ${wanted} to make a refund, got ${told}`;
      });
      const [first] = created;
      const { cents, payment } = move;
      const now = known ?? { paymentId: first?.body["paymentId"], cents, payment };
      made.set(move.key, now);
      if (move.refused !== undefined) continue;
      for (const answer of answers.filter((one) => one !== first)) {
        requireExisting(session, { answer, known: now, move });
      }
    }
  },
});

function callOf(session: Session, paymentId: string, { key, cents, refused }: Step): RefundCall {
  return {
    paymentId: refused === "payment" ? "pay_that_is_not_there" : paymentId,
    amount: refused === "amount" ? "0" : amountText(refused === "exceeds" ? PAID + 1n : cents),
    requestKey: session.key(key),
  };
}

function requireExisting(
  { target: { profile } }: Session,
  { answer, known, move }: { answer: Reading; known: Made; move: Step },
): void {
  const { duplicateKey } = profile.statuses;
  requireStatus(UNIQUE, "a known requestKey", answer, duplicateKey);
  if (!tellsExisting(profile)) return;
  const existing = existingOf(answer);
  const sameRequest = move.cents === known.cents && move.payment === known.payment;
  const isRight = existing?.sameRequest === sameRequest && existing.paymentId === known.paymentId;
  must(EXISTING, isRight, () => {
    const sought = { paymentId: known.paymentId, sameRequest };
    return `expected existing ${JSON.stringify(sought)}, got ${JSON.stringify(existing)}`;
  });
}

export const keyScope: ProviderCheck = singleCheck({
  id: "provider/key-scope",
  title: "keys differ by every character, per merchant, over payments, debits and refunds",
  requirements: [UNIQUE, FREE, SPELLING, DEBIT],
  play: async (session): Promise<Unseen | void> => {
    const { profile } = session.target;
    const { paymentId } = await pay(session);
    const base = session.key("Key");
    const longest = base.padEnd(profile.limits.key, "x");
    const alike = [
      base,
      base.toLowerCase(),
      base.toUpperCase(),
      `${base} `,
      ` ${base}`,
      base.replace("Key", "K ey"),
      `${base}'`,
      `${base}%20`,
      `${base}+`,
      `${base}0`,
      longest,
      `${longest.slice(0, -1)}y`,
    ];
    const ask = (requestKey: string, asker = session, of = paymentId): Promise<Reading> =>
      askRefund(asker, { paymentId: of, amount: "0.01", requestKey });
    for (const key of alike) {
      const answer = await ask(key);
      must(SPELLING, isCreated(answer, profile), () => {
        return `the new key ${JSON.stringify(key)}: expected a refund, got ${shown(answer)}`;
      });
    }
    for (const key of alike) {
      const again = await ask(key);
      must(UNIQUE, !isCreated(again, profile) || profile.refund.duplicate === "replay", () => {
        return `the known key ${JSON.stringify(key)}: a second refund was made`;
      });
    }
    for (const key of ["", `${longest}y`, `${base}é`, `${base}日本`, `${base}\t`, `${base}\n`]) {
      const answer = await ask(key);
      requireStatus(
        SPELLING,
        `the key ${JSON.stringify(key).slice(0, 60)} is not allowed`,
        answer,
        400,
      );
    }
    const second = await pay(session);
    const elsewhere = await ask(base, session, second.paymentId);
    must(UNIQUE, !isCreated(elsewhere, profile), () => {
      return `a key that a refund of another payment has: expected ${profile.statuses.duplicateKey}, got ${shown(elsewhere)}`;
    });
    const other = await openBeside(session);
    const theirs = other && (await maybe(() => pay(other)));
    if (other !== undefined && theirs !== undefined) {
      const answer = await ask(base, other, theirs.paymentId);
      must(FREE, isCreated(answer, profile), () => {
        return `a key that another merchant has used: expected a refund, got ${shown(answer)}`;
      });
    }
    const requestKey = session.key("debit");
    const debit = await maybe(() => session.state("a debit with a requestKey", { requestKey }));
    if (debit === undefined) return { [DEBIT]: "no state prepares a debit with a requestKey" };
    const taken = await ask(requestKey);
    requireStatus(DEBIT, "a key that a debit has", taken, profile.statuses.duplicateKey);
    must(DEBIT, existingOf(taken) === undefined, () => {
      return `the key of a debit: the response has the refund ${JSON.stringify(existingOf(taken))}`;
    });
    return undefined;
  },
});
