import { eligibleAt, federalReserve, type Hold } from "@countersign/rules";
import type { Profile } from "@countersign/schemas";
import fc from "fast-check";
import type { ProviderCheck } from "../check.ts";
import { askRefund, pay, statusNow, tellsExisting, UNPAID } from "./calls.ts";
import { isRecord } from "../values.ts";
import { providerCheck } from "./scenario.ts";
import { maybe, type CallAnswer, type Session } from "./session.ts";

type Status = "PENDING" | "AUTHORIZED" | "TERMINAL_FAILED";

interface Asked {
  readonly requestKey: string;
  status: Status;
  /** True if its payment was still processing when it was requested. */
  readonly isEarly: boolean;
}

/** A payment and its refunds, as S 3.1 says. */
class Model {
  readonly asked: Asked[] = [];
  debit: "processing" | "failed" | { readonly settledAt: number } = "processing";
  readonly #hold: Hold;
  constructor(hold: Hold) {
    this.#hold = hold;
  }

  /** The state of a refund that is requested now. */
  entered(now: number): Status {
    if (this.debit === "failed") return "TERMINAL_FAILED";
    if (this.debit === "processing") return "PENDING";
    return now >= eligibleAt(this.debit.settledAt, this.#hold) ? "AUTHORIZED" : "PENDING";
  }

  /** Moves the waiting refunds to where they are now. */
  advance(now: number): void {
    for (const one of this.asked) if (one.status === "PENDING") one.status = this.entered(now);
  }

  words(now: number): string {
    if (this.debit === "failed") return "failed or is covered";
    if (this.debit === "processing") return "is processing";
    const { settledAt } = this.debit;
    const [settled, threshold, today] = [settledAt, eligibleAt(settledAt, this.#hold), now].map(
      (at) => new Date(at).toISOString(),
    );
    return `settled at ${settled} (threshold ${threshold}, now ${today})`;
  }
}

/** The profile's hold, in the form that the rules use. */
export function holdOf({ hold: { closed, open, ...rest } }: Profile): Hold {
  return { ...rest, calendar: { ...federalReserve, closed, open } };
}

/** A number is hours to wait. */
type Step = "ask" | "settle" | "fail" | "cover" | number;

/** Random histories rarely wait for three business days between two refunds. */
const wholeHistory: readonly Step[] = ["ask", "settle", 6 * 24, "ask"];

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Step>("ask") },
    { weight: 2, arbitrary: fc.constant<Step>("settle") },
    { weight: 1, arbitrary: fc.constantFrom<Step[]>("fail", "cover") },
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 6 * 24 }) },
  ),
  { minLength: 1, maxLength: 12 },
);

/** Requirements that are observed at a refund that exists. */
const LATER = ["P-REFUND-AUTHORIZED", "P-REFUND-FINAL", "P-REFUND-HOLD-SETTLEMENT"];
const CENTS = 100n;

export const refundStates: ProviderCheck = providerCheck({
  id: "provider/refund-states",
  title: "refunds move as S 3.1 says, whatever happens to their payment, in any order",
  requirements: [
    "P-REFUND-PENDING",
    "P-REFUND-IMMEDIATE",
    "P-REFUND-FAILED",
    "P-REFUND-STATUS-CODE",
    ...LATER,
  ],
  arbitrary: () => fc.oneof({ weight: 4, arbitrary: steps }, fc.constant(wholeHistory)),
  run: async (session, moves) => {
    if (!tellsExisting(session.profile))
      for (const id of LATER)
        session.notApplicable(id, "no response of the profile shows a refund's later state");
    const { paymentId } = await pay(session, { cents: CENTS * BigInt(moves.length + 1) });
    const model = new Model(holdOf(session.profile));
    for (const move of moves) {
      let now = await session.time();
      if (move === "ask") await ask(session, { paymentId, model, now });
      else if (move === "settle") {
        if (model.debit !== "processing") continue;
        await session.state("the payment settles", { paymentId });
        model.debit = { settledAt: now };
      } else if (move === "fail" || move === "cover") {
        if (model.debit === "failed") continue;
        const name = move === "fail" ? "the payment fails" : "the payment is covered";
        await session.state(name, { paymentId });
        model.debit = "failed";
      } else {
        now += move * 3_600_000;
        await session.moveTo(now);
      }
      model.advance(now);
      await compare(session, { paymentId, model });
    }
  },
});

async function ask(
  session: Session,
  { paymentId, model, now }: { paymentId: string; model: Model; now: number },
): Promise<void> {
  const requestKey = session.key();
  const answer = await askRefund(session, { paymentId, amount: "1.00", requestKey });
  const status = model.entered(now);
  const { refundCreated } = session.profile.statuses;
  session.expectStatus("P-REFUND-STATUS-CODE", `a refund that is ${status}`, answer, refundCreated);
  const requirement = status === "AUTHORIZED" ? "P-REFUND-IMMEDIATE" : requirementOf[status];
  const what = `a refund of a payment that ${model.words(now)}`;
  session.expectEqual(requirement, what, answer.body["paymentStatus"], status);
  model.asked.push({ requestKey, status, isEarly: model.debit === "processing" });
}

async function compare(
  session: Session,
  { paymentId, model }: { paymentId: string; model: Model },
): Promise<void> {
  for (const { requestKey, status, isEarly } of model.asked) {
    const seen = await statusNow(session, { paymentId, amount: "1.00", requestKey });
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

const requirementOf: Readonly<Record<Status, string>> = {
  PENDING: "P-REFUND-PENDING",
  AUTHORIZED: "P-REFUND-AUTHORIZED",
  TERMINAL_FAILED: "P-REFUND-FAILED",
};

const ID = "P-REFUND-ID";
const ABSENT = "P-REFUND-NOT-FOUND";
const OF_REFUND = "P-REFUND-OF-REFUND";
const FAILED_FIRST = "P-REFUND-FAILED-FIRST";
const FAILED = "P-REFUND-FAILED";
const REFUNDED = "PAYMENT_ALREADY_REFUNDED";

export const refundEdges: ProviderCheck = providerCheck({
  id: "provider/refund-edges",
  title: "a refund names itself, and is refused of what is not a debit of the merchant",
  requirements: [ID, ABSENT, OF_REFUND, FAILED, FAILED_FIRST],
  run: async (session) => {
    const { profile } = session;
    const { paymentId } = await pay(session, { cents: 1000n });
    const of = (debit: string, amount = "1.00", asker = session): Promise<CallAnswer> =>
      askRefund(asker, { paymentId: debit, amount });
    const ids = [await of(paymentId), await of(paymentId)].map(({ body }) => body["paymentId"]);
    const isOriginal = profile.refund.responsePaymentId === "original";
    const isRight = isOriginal
      ? ids.every((id) => id === paymentId)
      : new Set([...ids, paymentId]).size === 3;
    session.expect(ID, isRight, () => {
      const wanted = isOriginal ? "the debit's id" : "ids of their own";
      return `two refunds of ${paymentId}: expected ${wanted}, got ${ids.join(" and ")}`;
    });
    const whole = await pay(session, { cents: 100n });
    await of(whole.paymentId);
    const { errorDetails } = (await of(whole.paymentId)).body;
    const code = isRecord(errorDetails) ? errorDetails["errorCode"] : undefined;
    if (typeof code === "string")
      session.expectEqual("P-ANSWER-FORM", "a refund of a wholly refunded payment", code, REFUNDED);
    session.expectStatus(ABSENT, "an unknown payment", await of(UNPAID), 404);
    const other = await session.other();
    if (other !== undefined)
      session.expectStatus(ABSENT, "another's payment", await of(paymentId, "1.00", other), 404);
    if (!isOriginal) {
      const again = await of(String(ids[0]), "0.01");
      session.expectStatus(OF_REFUND, "a refund of a refund", again, profile.statuses.business);
    }
    // A payment can fail in several ways.
    for (const status of ["failed", "canceled", "covered"] as const) {
      const ended = await maybe(pay(session, { status }));
      if (ended === undefined) continue;
      const { paymentStatus } = (await of(ended.paymentId)).body;
      session.expectEqual(
        FAILED,
        `a refund of a payment that is ${status}`,
        paymentStatus,
        "TERMINAL_FAILED",
      );
    }
    if ((await maybe(session.state("the payment fails", { paymentId }))) === undefined)
      return session.notApplicable(FAILED_FIRST, "no state lets a payment fail");
    const beyond = await of(paymentId, "9999.00");
    const what = "too much of a failed payment";
    session.expectStatus(FAILED_FIRST, what, beyond, profile.statuses.refundCreated);
    session.expectEqual(FAILED_FIRST, what, beyond.body["paymentStatus"], "TERMINAL_FAILED");
  },
});
