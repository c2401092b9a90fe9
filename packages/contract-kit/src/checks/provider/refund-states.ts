import { eligibleAt, federalReserve, type Hold } from "@countersign/rules";
import type { Profile } from "@countersign/schemas";
import fc from "fast-check";
import type { ProviderCheck } from "../../check.ts";
import {
  askRefund,
  isCreated,
  pay,
  shown,
  statusNow,
  tellsExisting,
  requireStatus,
} from "../../harness/calls.ts";
import { generatedCheck, singleCheck, type Unseen } from "../../harness/scenario.ts";
import { maybe, moveTo, openBeside, timeOf, type Session } from "../../harness/session.ts";
import { must } from "../../harness/judge.ts";

type Status = "PENDING" | "AUTHORIZED" | "TERMINAL_FAILED";

interface Asked {
  readonly requestKey: string;
  readonly status: Status;
  /** True if its payment was still processing when it was requested. */
  readonly isEarly: boolean;
}

/** Model of a payment and its refunds, from S 3.1. */
interface Model {
  readonly debit: "processing" | "failed" | { readonly settledAt: number };
  readonly asked: readonly Asked[];
}

function entered({ debit }: Model, now: number, hold: Hold): Status {
  if (debit === "failed") return "TERMINAL_FAILED";
  if (debit === "processing") return "PENDING";
  return now >= eligibleAt(debit.settledAt, hold) ? "AUTHORIZED" : "PENDING";
}

/** Time moves only waiting refunds. */
function later(model: Model, now: number, hold: Hold): readonly Asked[] {
  const status = entered(model, now, hold);
  if (status !== "AUTHORIZED") return model.asked;
  return model.asked.map((one) => (one.status === "PENDING" ? { ...one, status } : one));
}

function words({ debit }: Model, now: number, hold: Hold): string {
  if (typeof debit === "string")
    return debit === "failed" ? "failed or is covered" : "is processing";
  const [settled, threshold] = [debit.settledAt, eligibleAt(debit.settledAt, hold)].map((at) =>
    new Date(at).toISOString(),
  );
  return `settled at ${settled} (threshold ${threshold}, now ${new Date(now).toISOString()})`;
}

/** The profile's hold, in the form that the rules use. */
export function holdOf({ hold: { closed, open, ...rest } }: Profile): Hold {
  return { ...rest, calendar: { ...federalReserve, closed, open } };
}

type Step =
  | { readonly kind: "ask" | "settle" | "fail" | "cover" }
  | { readonly kind: "wait"; readonly hours: number };

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Step>({ kind: "ask" }) },
    { weight: 2, arbitrary: fc.constant<Step>({ kind: "settle" }) },
    { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: "fail" }, { kind: "cover" }) },
    {
      weight: 4,
      arbitrary: fc
        .integer({ min: 1, max: 6 * 24 })
        .map((hours): Step => ({ kind: "wait", hours })),
    },
  ),
  { minLength: 1, maxLength: 12 },
);

const UNTOLD = "no response of the profile shows a refund's later state";
/** Observations that need an existing refund. */
const untold: Unseen = {
  "P-REFUND-AUTHORIZED": UNTOLD,
  "P-REFUND-FINAL": UNTOLD,
  "P-REFUND-HOLD-SETTLEMENT": UNTOLD,
};

const CENTS = 100n;

export const refundStates: ProviderCheck = generatedCheck({
  id: "provider/refund-states",
  title: "refunds move as S 3.1 says, whatever happens to their payment, in any order",
  requirements: [
    "P-REFUND-PENDING",
    "P-REFUND-AUTHORIZED",
    "P-REFUND-IMMEDIATE",
    "P-REFUND-FAILED",
    "P-REFUND-FINAL",
    "P-REFUND-HOLD-SETTLEMENT",
    "P-REFUND-STATUS-CODE",
  ],
  unseen: (profile) => (tellsExisting(profile) ? {} : untold),
  arbitrary: () => steps,
  play: async (session, moves) => {
    const { paymentId } = await pay(session, { cents: CENTS * BigInt(moves.length + 1) });
    const hold = holdOf(session.target.profile);
    let model: Model = { debit: "processing", asked: [] };
    for (const move of moves) {
      const now = await timeOf(session);
      switch (move.kind) {
        case "wait": {
          const to = now + move.hours * 3_600_000;
          await moveTo(session, to);
          model = { ...model, asked: later(model, to, hold) };
          break;
        }
        case "settle":
          if (model.debit !== "processing") continue;
          await session.state("the payment settles", { paymentId });
          model = { ...model, debit: { settledAt: now } };
          break;
        case "fail":
        case "cover": {
          if (model.debit === "failed") continue;
          const name = move.kind === "fail" ? "the payment fails" : "the payment is covered";
          await session.state(name, { paymentId });
          const failed = (one: Asked): Asked =>
            one.status === "PENDING" ? { ...one, status: "TERMINAL_FAILED" } : one;
          model = { debit: "failed", asked: model.asked.map(failed) };
          break;
        }
        case "ask":
          model = await ask(session, { paymentId, model, now, hold });
          break;
        default:
          move satisfies never;
      }
      model = { ...model, asked: later(model, now, hold) };
      await compare(session, { paymentId, model });
    }
  },
});

async function ask(
  session: Session,
  { paymentId, model, now, hold }: { paymentId: string; model: Model; now: number; hold: Hold },
): Promise<Model> {
  const requestKey = session.key();
  const answer = await askRefund(session, { paymentId, amount: "1.00", requestKey });
  const status = entered(model, now, hold);
  const { profile } = session.target;
  must("P-REFUND-STATUS-CODE", isCreated(answer, profile), () => {
    return `a refund that is ${status}: expected ${profile.statuses.refundCreated}, got ${shown(answer)}`;
  });
  must(requirementOf(status, true), answer.body["paymentStatus"] === status, () => {
    return `a refund of a payment that ${words(model, now, hold)}: expected ${status}, got ${shown(answer)}`;
  });
  const isEarly = model.debit === "processing";
  return { ...model, asked: [...model.asked, { requestKey, status, isEarly }] };
}

async function compare(
  session: Session,
  { paymentId, model }: { paymentId: string; model: Model },
): Promise<void> {
  for (const { requestKey, status, isEarly } of model.asked) {
    const seen = await statusNow(session, { paymentId, cents: CENTS, requestKey });
    if (seen === undefined) return;
    const isFinal = seen === "PENDING" || status === "PENDING" || status === seen;
    // Requested before the settlement, and not held until three business days after it.
    const isCounted = status !== "PENDING" || seen !== "AUTHORIZED" || !isEarly;
    const requirement = isCounted ? requirementOf(status, false) : "P-REFUND-HOLD-SETTLEMENT";
    must(
      isFinal ? requirement : "P-REFUND-FINAL",
      seen === status,
      () => `a refund must be ${status} by now, and is ${seen}`,
    );
  }
}

function requirementOf(status: Status, isFirst: boolean): string {
  switch (status) {
    case "PENDING":
      return "P-REFUND-PENDING";
    case "AUTHORIZED":
      return isFirst ? "P-REFUND-IMMEDIATE" : "P-REFUND-AUTHORIZED";
    case "TERMINAL_FAILED":
      return "P-REFUND-FAILED";
    default:
      return status satisfies never;
  }
}

const ID = "P-REFUND-ID";
const ABSENT = "P-REFUND-NOT-FOUND";
const OF_REFUND = "P-REFUND-OF-REFUND";
const FAILED_FIRST = "P-REFUND-FAILED-FIRST";
const FAILED = "P-REFUND-FAILED";

export const refundEdges: ProviderCheck = singleCheck({
  id: "provider/refund-edges",
  title: "a refund names itself, and is refused of what is not a debit of the merchant",
  requirements: [ID, ABSENT, OF_REFUND, FAILED, FAILED_FIRST],
  play: async (session) => {
    const { profile } = session.target;
    const made = await pay(session, { cents: 1000n });
    const of = (paymentId: string, amount: string, asker = session) =>
      askRefund(asker, { paymentId, amount });
    const refund = await of(made.paymentId, "1.00");
    const ids = [refund, await of(made.paymentId, "1.00")].map(({ body }) => body["paymentId"]);
    const isOriginal = profile.refund.responsePaymentId === "original";
    const isRight = isOriginal
      ? ids.every((id) => id === made.paymentId)
      : new Set([...ids, made.paymentId]).size === 3;
    must(ID, isRight, () => {
      const wanted = isOriginal ? "the debit's id" : "ids of their own";
      return `two refunds of ${made.paymentId}: expected ${wanted}, got ${ids.join(" and ")}`;
    });
    const absent = await of("pay_that_is_not_there", "1.00");
    requireStatus(ABSENT, "an unknown payment", absent, 404);
    const other = await openBeside(session);
    const foreign = other === undefined ? absent : await of(made.paymentId, "1.00", other);
    requireStatus(ABSENT, "another's payment", foreign, 404);
    if (!isOriginal) {
      const again = await of(String(refund.body["paymentId"]), "0.01");
      requireStatus(OF_REFUND, "a refund of a refund", again, profile.statuses.business);
    }
    // A payment can fail in several ways.
    for (const status of ["failed", "canceled", "covered"] as const) {
      const ended = await maybe(() => pay(session, { status }));
      if (ended === undefined) continue;
      const refused = await of(ended.paymentId, "1.00");
      must(FAILED, refused.body["paymentStatus"] === "TERMINAL_FAILED", () => {
        return `a refund of a payment that is ${status}: expected TERMINAL_FAILED, got ${shown(refused)}`;
      });
    }
    const { paymentId } = made;
    if ((await maybe(() => session.state("the payment fails", { paymentId }))) === undefined)
      return { [FAILED_FIRST]: "no state lets a payment fail" };
    const beyond = await of(paymentId, "9999.00");
    const isFailed = beyond.body["paymentStatus"] === "TERMINAL_FAILED";
    must(FAILED_FIRST, isCreated(beyond, profile) && isFailed, () => {
      return `too much of a failed payment: expected TERMINAL_FAILED, got ${shown(beyond)}`;
    });
    return undefined;
  },
});
