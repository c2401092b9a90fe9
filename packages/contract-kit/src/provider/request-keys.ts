import { formatAmount } from "@countersign/rules";
import fc from "fast-check";
import type { ProviderCheck } from "../check.ts";
import {
  requestRefund,
  existingRefund,
  isCreated,
  prepareDebit,
  returnsExisting,
  UNKNOWN_PAYMENT,
} from "./calls.ts";
import { providerCheck } from "./provider-check.ts";
import { maybe, type CallAnswer, type Session, summary } from "./session.ts";

const UNIQUE = "P-REFUND-KEY";
const EXISTING = "P-REFUND-KEY-EXISTING";
const FREE = "P-REFUND-KEY-FREE";
const SPELLING = "P-REFUND-KEY-SPELLING";
const DEBIT = "P-REFUND-KEY-DEBIT";

/** Equal calls that are sent at once. Calls with a mistake must be refused and leave the key free. */
interface Step {
  readonly key: number;
  /** The index of its payment, 0 or 1. */
  readonly payment: number;
  /** The text of its amount. */
  readonly amount: string;
  readonly mistake?: "amount" | "exceeds" | "payment";
  readonly softDescriptor?: string;
  readonly times: number;
}

const sequences: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record(
    {
      // Few keys, so that most calls repeat one.
      key: fc.nat({ max: 1 }),
      payment: fc.nat({ max: 1 }),
      // Two of them are the same amount.
      amount: fc.constantFrom("0.1", "0.10", "0.2"),
      mistake: fc.constantFrom("amount", "exceeds", "payment"),
      softDescriptor: fc.constantFrom("A", "B"),
      times: fc.integer({ min: 1, max: 4 }),
    },
    { requiredKeys: ["key", "payment", "amount", "times"], noNullPrototype: true },
  ),
  { minLength: 3, maxLength: 8 },
);

interface Made extends Pick<Step, "payment" | "amount" | "softDescriptor"> {
  readonly refundId: unknown;
}

const PAID = 10_000n;

export const requestKeys: ProviderCheck = providerCheck({
  id: "provider/request-keys",
  title:
    "a requestKey makes at most one refund, also for concurrent calls, and a refused call leaves it free",
  // Random calls rarely repeat all of one but the spelling of its amount.
  example: (): readonly Step[] =>
    ["0.1", "0.10"].map((amount) => ({ key: 0, payment: 0, amount, times: 2 })),
  arbitrary: () => sequences,
  run: async (session, steps) => {
    const { profile } = session;
    if (!returnsExisting(profile))
      session.notApplicable(EXISTING, "the profile's answer to a known requestKey has no refund");
    const prepare = () => prepareDebit(session, { cents: PAID });
    const payments = [await prepare(), await prepare()];
    const made = new Map<number, Made>();
    const refusedKeys = new Set<number>();
    for (const { key, payment, amount, mistake, times, ...more } of steps) {
      const requestKey = session.key(key);
      const paymentId =
        mistake === "payment" ? UNKNOWN_PAYMENT : (payments[payment]?.paymentId ?? "");
      const wrong = { amount: "0", exceeds: formatAmount(PAID + 1n), payment: amount };
      const asked = mistake === undefined ? amount : wrong[mistake];
      const call = { requestKey, paymentId, amount: asked, more };
      const answers = await Promise.all(
        Array.from({ length: times }, () => requestRefund(session, call)),
      );
      const known = made.get(key);
      const created = answers.filter((one) => isCreated(one, profile));
      const list = answers.map(summary).join(", ");
      const isSame =
        known?.payment === payment &&
        Number(known.amount) === Number(amount) &&
        known.softDescriptor === more.softDescriptor;
      if (mistake !== undefined && known === undefined) {
        const what = `a call that must be refused was answered ${list}`;
        session.expect(FREE, created.length === 0, what);
        refusedKeys.add(key);
        continue;
      }
      // Only a key that a refused call has had can have been used up.
      const isUsedUp = refusedKeys.has(key) && created.length === 0;
      // A known key may be reported before or after the call's other errors.
      const wanted = known === undefined ? 1 : 0;
      const requirement = known === undefined && isUsedUp ? FREE : UNIQUE;
      const calls = `${times} call${times === 1 ? "" : "s at once"} with a ${known ? "known" : "new"} requestKey`;
      const miscounted = `${calls}: expected ${wanted} to make a refund, got ${list}`;
      if (!session.expect(requirement, created.length === wanted, miscounted)) return;
      const [first] = created;
      const refund = known ?? { refundId: first?.body["paymentId"], amount, payment, ...more };
      made.set(key, refund);
      if (mistake !== undefined) continue;
      for (const answer of answers.filter((one) => one !== first))
        expectExisting(session, answer, { ...refund, sameRequest: isSame || known === undefined });
    }
  },
});

function expectExisting(
  session: Session,
  answer: CallAnswer,
  { refundId, sameRequest }: Made & { readonly sameRequest: boolean },
): void {
  const { profile } = session;
  session.expectStatus(UNIQUE, "a known requestKey", answer, profile.statuses.duplicateKey);
  if (!returnsExisting(profile)) return;
  const { paymentId, sameRequest: isSame } = existingRefund(answer) ?? {};
  const got = { paymentId, sameRequest: isSame };
  const wanted = { paymentId: refundId, sameRequest };
  session.expectEqual(EXISTING, "the existing refund", got, wanted);
}

export const keyScope: ProviderCheck = providerCheck({
  id: "provider/key-scope",
  title: "keys differ by every character, per merchant, over payments, debits and refunds",
  run: async (session) => {
    const { profile } = session;
    const { duplicateKey, refundCreated } = profile.statuses;
    const { paymentId } = await prepareDebit(session);
    const base = session.key("Key");
    const longest = base.padEnd(profile.limits.key, "x");
    const cases = [base.toLowerCase(), base.toUpperCase(), base.replace("Key", "K ey")];
    const ends = [" ", "'", "%20", "+", "0"].map((end) => base + end);
    const alike = [base, ...cases, ` ${base}`, ...ends, longest, `${longest.slice(0, -1)}y`];
    const ask = (requestKey: string, asker = session, of = paymentId): Promise<CallAnswer> =>
      requestRefund(asker, { paymentId: of, amount: "0.01", requestKey });
    for (const key of alike) {
      const what = `the new key ${JSON.stringify(key)}`;
      session.expectStatus(SPELLING, what, await ask(key), refundCreated);
    }
    for (const key of alike) {
      const again = await ask(key);
      const secondRefund = `the known key ${JSON.stringify(key)}: a second refund was made`;
      session.expect(UNIQUE, !isCreated(again, profile), secondRefund);
    }
    for (const key of ["", `${longest}y`, `${base}é`, `${base}日本`, `${base}\t`, `${base}\n`]) {
      const what = `the key ${JSON.stringify(key).slice(0, 60)} is not allowed`;
      session.expectStatus(SPELLING, what, await ask(key), 400);
    }
    const second = await prepareDebit(session);
    const elsewhere = await ask(base, session, second.paymentId);
    const doubled = `a key that a refund of another payment has: expected ${duplicateKey}, got ${summary(elsewhere)}`;
    session.expect(UNIQUE, !isCreated(elsewhere, profile), doubled);
    await expectUniqueLater(session);
    const other = await session.other();
    const theirs = other && (await maybe(prepareDebit(other)));
    if (theirs !== undefined) {
      const answer = await ask(base, other, theirs.paymentId);
      session.expectStatus(FREE, "a key that another merchant has used", answer, refundCreated);
    }
    const requestKey = session.key("debit");
    const debit = await maybe(session.state("a debit with a requestKey", { requestKey }));
    if (debit === undefined)
      return session.notApplicable(DEBIT, "no state prepares a debit with a requestKey");
    const taken = await ask(requestKey);
    session.expectStatus(DEBIT, "a key that a debit has", taken, duplicateKey);
    const existing = existingRefund(taken);
    session.expectEqual(DEBIT, "the existing refund of a debit's key", existing, undefined);
  },
});

/** Longer than any cache of idempotency keys. */
const LATER_MS = 8 * 86_400_000;

/** A key stays used for ever, also by a refund that has failed. */
async function expectUniqueLater(session: Session): Promise<void> {
  const { paymentId } = await prepareDebit(session);
  const failed = await maybe(prepareDebit(session, { status: "failed" }));
  const calls = [paymentId, failed?.paymentId].flatMap((id) =>
    id === undefined ? [] : { paymentId: id, amount: "0.01", requestKey: session.key() },
  );
  for (const call of calls) await requestRefund(session, call);
  const expectUnique = async (when: string): Promise<void> => {
    for (const call of calls) {
      const again = await requestRefund(session, call);
      const what = call.paymentId === paymentId ? "a refund" : "a refund that failed";
      const remade = `the key of ${what}, ${when}: a second refund was made`;
      session.expect(UNIQUE, !isCreated(again, session.profile), remade);
    }
  };
  await expectUnique("at once");
  const now = await maybe(session.time());
  if (now === undefined) return;
  await session.moveTo(now + LATER_MS);
  await expectUnique("eight days later");
}
