import {
  decide,
  eligibleAt,
  onFailed,
  onSettled,
  onTime,
  type Debit,
  type Refund,
} from "@countersign/rules";
import fc from "fast-check";
import type { ProviderCheck } from "../check.ts";
import {
  requestRefund,
  prepareDebit,
  currentStatus,
  returnsExisting,
  UNKNOWN_PAYMENT,
} from "./calls.ts";
import { providerCheck } from "./provider-check.ts";
import { codeOf, isoTime, maybe, type CallAnswer, type Session } from "./session.ts";

/** A refund that was requested, and its state by S 3.1. */
interface Asked {
  readonly requestKey: string;
  refund: Refund;
  /** True if its payment was still processing when it was requested. */
  readonly isEarly: boolean;
}

/** `report` settles the payment as of its creation. A number is hours to wait. */
type Step = "ask" | "settle" | "report" | "fail" | "cover" | number;

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Step>("ask") },
    { weight: 3, arbitrary: fc.constantFrom<Step[]>("settle", "report") },
    { weight: 1, arbitrary: fc.constantFrom<Step[]>("fail", "cover") },
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 6 * 24 }) },
  ),
  { minLength: 1, maxLength: 12 },
);

/** Requirements that are observed at a refund that exists. */
const LATER = ["P-REFUND-AUTHORIZED", "P-REFUND-FINAL", "P-REFUND-HOLD-SETTLEMENT"];

export const refundStates: ProviderCheck = providerCheck({
  id: "provider/refund-states",
  title: "refunds move as S 3.1 says, whatever happens to their payment, in any order",
  // Random histories rarely wait for three business days between two refunds.
  example: (): readonly Step[] => ["ask", "settle", 6 * 24, "ask", "fail", "ask"],
  arbitrary: () => steps,
  run: async (session, moves) => {
    const { profile } = session;
    if (!returnsExisting(profile))
      for (const id of LATER)
        session.notApplicable(id, "no response of the profile shows a refund's later state");
    const amountCents = 100n * BigInt(moves.length + 1);
    const { paymentId } = await prepareDebit(session, { cents: amountCents });
    const madeAt = await session.time();
    const { hold } = profile;
    const all: Asked[] = [];
    let debit: Debit = { state: "processing" };
    for (const move of moves) {
      let now = await session.time();
      if (move === "ask") {
        const amounts = { amountCents, reservedCents: 0n, askedCents: 100n };
        all.push(await ask(session, paymentId, { debit, now, hold, ...amounts }));
      } else if (move === "settle" || move === "report") {
        if (debit.state !== "processing") continue;
        const settledAt = move === "settle" ? now : madeAt;
        const reported = move === "report" && { settledAt: isoTime(settledAt) };
        await session.state("the payment settles", { paymentId, ...reported });
        debit = { state: "settled", settledAt };
        for (const one of all) one.refund = onSettled(one.refund, { settledAt, now, hold });
      } else if (move === "fail" || move === "cover") {
        if (debit.state === "failed" || debit.state === "covered") continue;
        const name = move === "fail" ? "the payment fails" : "the payment is covered";
        await session.state(name, { paymentId });
        debit = { state: move === "fail" ? "failed" : "covered" };
        for (const one of all) one.refund = onFailed(one.refund);
      } else {
        now += move * 3_600_000;
        await session.moveTo(now);
        for (const one of all) one.refund = onTime(one.refund, now);
      }
      await compare(session, paymentId, all);
    }
  },
});

type Asking = Parameters<typeof decide>[0];

async function ask(session: Session, paymentId: string, asking: Asking): Promise<Asked> {
  const { debit, now, hold } = asking;
  const requestKey = session.key();
  const answer = await requestRefund(session, { paymentId, amount: "1.00", requestKey });
  const decision = decide(asking);
  if (!decision.ok) throw new Error(decision.code);
  const { refund } = decision;
  const { status } = refund;
  const { refundCreated } = session.profile.statuses;
  session.expectStatus("P-REFUND-STATUS-CODE", `a refund that is ${status}`, answer, refundCreated);
  const requirement = status === "AUTHORIZED" ? "P-REFUND-IMMEDIATE" : requirementOf[status];
  const { state } = debit;
  const times = state === "settled" ? [debit.settledAt, eligibleAt(debit.settledAt, hold)] : [];
  const [at, due] = times.map(isoTime);
  const when = at && due ? ` at ${at} (threshold ${due}, now ${isoTime(now)})` : "";
  const what = `a refund of a payment that is ${state}${when}`;
  session.expectEqual(requirement, what, answer.body["paymentStatus"], status);
  return { requestKey, refund, isEarly: state === "processing" };
}

async function compare(session: Session, paymentId: string, all: readonly Asked[]): Promise<void> {
  for (const { requestKey, refund, isEarly } of all) {
    const { status } = refund;
    const seen = await currentStatus(session, { paymentId, amount: "1.00", requestKey });
    if (seen === undefined) return;
    const areFinal = status !== "PENDING" && seen !== "PENDING";
    // Requested before the settlement, and not held until three business days after it.
    const isReleased = isEarly && status === "PENDING" && seen === "AUTHORIZED";
    const what = "a refund by now";
    session.expectEqual("P-REFUND-FINAL", what, areFinal ? seen : status, status);
    session.expectEqual("P-REFUND-HOLD-SETTLEMENT", what, isReleased ? seen : status, status);
    session.expectEqual(requirementOf[status], what, seen, status);
  }
}

const requirementOf: Readonly<Record<Refund["status"], string>> = {
  PENDING: "P-REFUND-PENDING",
  AUTHORIZED: "P-REFUND-AUTHORIZED",
  TERMINAL_FAILED: "P-REFUND-FAILED",
};

const ID = "P-REFUND-ID";
const ABSENT = "P-REFUND-NOT-FOUND";
const FAILED_FIRST = "P-REFUND-FAILED-FIRST";
const FAILED = "P-REFUND-FAILED";
const REFUNDED = "PAYMENT_ALREADY_REFUNDED";

export const refundEdges: ProviderCheck = providerCheck({
  id: "provider/refund-edges",
  title: "a refund names itself, and is refused of what is not a debit of the merchant",
  run: async (session) => {
    const { profile } = session;
    const { paymentId } = await prepareDebit(session, { cents: 1000n });
    const of = (debit: string, amount = "1.00", asker = session): Promise<CallAnswer> =>
      requestRefund(asker, { paymentId: debit, amount });
    const ids = [await of(paymentId), await of(paymentId)].map(({ body }) => body["paymentId"]);
    const isOriginal = profile.refund.responsePaymentId === "original";
    const isRight = isOriginal
      ? ids.every((id) => id === paymentId)
      : new Set([...ids, paymentId]).size === 3;
    const wanted = isOriginal ? "the debit's id" : "ids of their own";
    const otherIds = `two refunds of ${paymentId}: expected ${wanted}, got ${ids.join(" and ")}`;
    session.expect(ID, isRight, otherIds);
    const whole = await prepareDebit(session, { cents: 100n });
    await of(whole.paymentId);
    const code = codeOf(await of(whole.paymentId));
    if (typeof code === "string")
      session.expectEqual("P-ANSWER-FORM", "a refund of a wholly refunded payment", code, REFUNDED);
    session.expectStatus(ABSENT, "an unknown payment", await of(UNKNOWN_PAYMENT), 404);
    const other = await session.other();
    if (other !== undefined)
      session.expectStatus(ABSENT, "another's payment", await of(paymentId, "1.00", other), 404);
    if (!isOriginal) {
      const again = await of(String(ids[0]), "0.01");
      session.expectStatus(
        "P-REFUND-OF-REFUND",
        "a refund of a refund",
        again,
        profile.statuses.business,
      );
    }
    // A payment can fail in several ways.
    for (const status of ["failed", "canceled", "covered"] as const) {
      const ended = await maybe(prepareDebit(session, { status }));
      if (ended === undefined) continue;
      const answer = await of(ended.paymentId);
      const got = [answer.body["paymentStatus"], codeOf(answer)];
      const what = `a refund of a payment that is ${status}`;
      session.expectEqual(FAILED, what, got, ["TERMINAL_FAILED", "CUSTOMER_NOT_DEBITED"]);
    }
    if ((await maybe(session.state("the payment fails", { paymentId }))) === undefined)
      return session.notApplicable(FAILED_FIRST, "no state lets a payment fail");
    const beyond = await of(paymentId, "9999.00");
    const what = "too much of a failed payment";
    session.expectStatus(FAILED_FIRST, what, beyond, profile.statuses.refundCreated);
    session.expectEqual(FAILED_FIRST, what, beyond.body["paymentStatus"], "TERMINAL_FAILED");
  },
});
