import fc from "fast-check";
import type { ProviderCheck } from "../check.ts";
import {
  amountText,
  askRefund,
  existingOf,
  isCreated,
  pay,
  tellsExisting,
  UNPAID,
} from "./calls.ts";
import { providerCheck } from "./scenario.ts";
import { maybe, type CallAnswer, type Session, shown } from "./session.ts";

const UNIQUE = "P-REFUND-KEY";
const EXISTING = "P-REFUND-KEY-EXISTING";
const FREE = "P-REFUND-KEY-FREE";
const SPELLING = "P-REFUND-KEY-SPELLING";
const DEBIT = "P-REFUND-KEY-DEBIT";

/** `refused` calls are invalid and must not use up the key. */
interface Step {
  readonly key: number;
  /** The index of its payment, 0 or 1. */
  readonly payment: number;
  readonly cents: bigint;
  readonly refused?: "amount" | "exceeds" | "payment";
  readonly softDescriptor?: string;
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
      softDescriptor: fc.constantFrom("A", "B"),
      times: fc.integer({ min: 1, max: 4 }),
    },
    { requiredKeys: ["key", "payment", "cents", "times"], noNullPrototype: true },
  ),
  { minLength: 3, maxLength: 8 },
);

interface Made extends Pick<Step, "payment" | "cents" | "softDescriptor"> {
  readonly paymentId: unknown;
}

const PAID = 10_000n;

export const requestKeys: ProviderCheck = providerCheck({
  id: "provider/request-keys",
  title:
    "a requestKey makes at most one refund, also for concurrent calls, and a refused call leaves it free",
  requirements: [UNIQUE, EXISTING, FREE],
  arbitrary: () => steps,
  run: async (session, moves) => {
    const { profile } = session;
    if (!tellsExisting(profile))
      session.notApplicable(EXISTING, "the profile's answer to a known requestKey has no refund");
    const payments = [await pay(session, { cents: PAID }), await pay(session, { cents: PAID })];
    const made = new Map<number, Made>();
    for (const { key, payment, cents, refused, times, ...more } of moves) {
      const requestKey = session.key(key);
      const paymentId = refused === "payment" ? UNPAID : (payments[payment]?.paymentId ?? "");
      const asked = amountText(refused === "exceeds" ? PAID + 1n : cents);
      const call = { requestKey, paymentId, amount: refused === "amount" ? "0" : asked, more };
      const answers = await Promise.all(
        Array.from({ length: times }, () => askRefund(session, call)),
      );
      const known = made.get(key);
      const created = answers.filter((one) => isCreated(one, profile));
      const list = answers.map(shown).join(", ");
      const isSame =
        known?.cents === cents &&
        known.payment === payment &&
        known.softDescriptor === more.softDescriptor;
      if (refused !== undefined && known === undefined) {
        session.expect(
          FREE,
          created.length === 0,
          () => `a call that must be refused was answered ${list}`,
        );
        continue;
      }
      // A known key may be reported before or after the call's other errors.
      const wanted = known === undefined ? 1 : 0;
      const isRight = session.expect(
        created.length < wanted ? FREE : UNIQUE,
        created.length === wanted,
        () => {
          const calls = `${times} call${times === 1 ? "" : "s at once"}`;
          return `${calls} with a ${known ? "known" : "new"} requestKey: expected ${wanted} to make a refund, got ${list}`;
        },
      );
      if (!isRight) return;
      const [first] = created;
      const now = known ?? { paymentId: first?.body["paymentId"], cents, payment, ...more };
      made.set(key, now);
      if (refused !== undefined) continue;
      for (const answer of answers.filter((one) => one !== first))
        expectExisting(session, answer, { ...now, sameRequest: isSame || known === undefined });
    }
  },
});

function expectExisting(
  session: Session,
  answer: CallAnswer,
  { paymentId, sameRequest }: Made & { readonly sameRequest: boolean },
): void {
  const { profile } = session;
  session.expectStatus(UNIQUE, "a known requestKey", answer, profile.statuses.duplicateKey);
  if (!tellsExisting(profile)) return;
  const { paymentId: id, sameRequest: same } = existingOf(answer) ?? {};
  const wanted = { paymentId, sameRequest };
  session.expectEqual(
    EXISTING,
    "the existing refund",
    { paymentId: id, sameRequest: same },
    wanted,
  );
}

export const keyScope: ProviderCheck = providerCheck({
  id: "provider/key-scope",
  title: "keys differ by every character, per merchant, over payments, debits and refunds",
  requirements: [UNIQUE, FREE, SPELLING, DEBIT],
  run: async (session) => {
    const { profile } = session;
    const { duplicateKey, refundCreated } = profile.statuses;
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
    const ask = (requestKey: string, asker = session, of = paymentId): Promise<CallAnswer> =>
      askRefund(asker, { paymentId: of, amount: "0.01", requestKey });
    for (const key of alike)
      session.expectStatus(
        SPELLING,
        `the new key ${JSON.stringify(key)}`,
        await ask(key),
        refundCreated,
      );
    for (const key of alike) {
      const again = await ask(key);
      session.expect(UNIQUE, !isCreated(again, profile), () => {
        return `the known key ${JSON.stringify(key)}: a second refund was made`;
      });
    }
    for (const key of ["", `${longest}y`, `${base}é`, `${base}日本`, `${base}\t`, `${base}\n`]) {
      const what = `the key ${JSON.stringify(key).slice(0, 60)} is not allowed`;
      session.expectStatus(SPELLING, what, await ask(key), 400);
    }
    const second = await pay(session);
    const elsewhere = await ask(base, session, second.paymentId);
    session.expect(UNIQUE, !isCreated(elsewhere, profile), () => {
      return `a key that a refund of another payment has: expected ${duplicateKey}, got ${shown(elsewhere)}`;
    });
    await expectUniqueLater(session);
    const other = await session.other();
    const theirs = other && (await maybe(pay(other)));
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
    session.expectEqual(
      DEBIT,
      "the existing refund of a debit's key",
      existingOf(taken),
      undefined,
    );
  },
});

/** Longer than any cache of idempotency keys. */
const LATER_MS = 8 * 86_400_000;

/** A key stays used for ever, also by a refund that has failed. */
async function expectUniqueLater(session: Session): Promise<void> {
  const { paymentId } = await pay(session);
  const failed = await maybe(pay(session, { status: "failed" }));
  const calls = [paymentId, failed?.paymentId].flatMap((id) =>
    id === undefined ? [] : { paymentId: id, amount: "0.01", requestKey: session.key() },
  );
  for (const call of calls) await askRefund(session, call);
  const expectUnique = async (when: string): Promise<void> => {
    for (const call of calls) {
      const again = await askRefund(session, call);
      const what = call.paymentId === paymentId ? "a refund" : "a refund that failed";
      session.expect(UNIQUE, !isCreated(again, session.profile), () => {
        return `the key of ${what}, ${when}: a second refund was made`;
      });
    }
  };
  await expectUnique("at once");
  const now = await maybe(session.time());
  if (now === undefined) return;
  await session.moveTo(now + LATER_MS);
  await expectUnique("eight days later");
}
