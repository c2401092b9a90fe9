import fc from "fast-check";
import type { Hold } from "@countersign/rules";
import type { ProviderCheck } from "../../check.ts";
import { statusNow, tellsExisting } from "./existing.ts";
import { entered, failed, holdOf, later, words, type Model, type Status } from "./refund-model.ts";
import { askRefund, isCreated, shown } from "./refunds.ts";
import { playScenario } from "../../harness/scenario.ts";
import type { Session } from "../../harness/session.ts";
import { must } from "../../harness/violation.ts";

const requirements = [
  "P-REFUND-PENDING",
  "P-REFUND-AUTHORIZED",
  "P-REFUND-IMMEDIATE",
  "P-REFUND-FAILED",
  "P-REFUND-FINAL",
  "P-REFUND-HOLD-SETTLEMENT",
  "P-REFUND-STATUS-CODE",
  "P-ANSWER-SCHEMA",
];

const UNTOLD = "no answer of the profile tells where a refund is after it was made";

/** What is seen only of a refund that was made before. */
const unseen = {
  "P-REFUND-AUTHORIZED": UNTOLD,
  "P-REFUND-FINAL": UNTOLD,
  "P-REFUND-HOLD-SETTLEMENT": UNTOLD,
};

/** Any sequence of refunds, time, settlement, failure and cover of one payment, against S 3.1. */
export const refundStates: ProviderCheck = {
  id: "provider/refund-states",
  title: "refunds move as S 3.1 says, whatever happens to their payment and in what order",
  role: "provider",
  requirements,
  run: (target, context) =>
    playScenario(
      {
        requirements,
        needs: ["payments", "settle", "fail", "cover", "clock"],
        ...(!tellsExisting(target.profile) && { unseen }),
        arbitrary: steps,
        play,
      },
      target,
      context,
    ),
};

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

const CENTS = 100n;

async function play(session: Session, moves: readonly Step[]): Promise<void> {
  const { payments, clock } = session.controls;
  if (payments === undefined || clock === undefined) return;
  const { paymentId } = await payments.create(CENTS * BigInt(moves.length + 1));
  const hold = holdOf(session.target.profile);
  let model: Model = { debit: "processing", asked: [] };
  for (const move of moves) {
    const now = await clock.now();
    switch (move.kind) {
      case "wait":
        await clock.advance(move.hours * 3_600_000);
        break;
      case "settle":
        if (model.debit !== "processing") continue;
        await payments.settle?.(paymentId, now);
        model = { ...model, debit: { settledAt: now } };
        break;
      case "fail":
      case "cover":
        if (model.debit === "failed") continue;
        await payments[move.kind]?.(paymentId);
        model = { debit: "failed", asked: model.asked.map(failed) };
        break;
      case "ask":
        model = await ask(session, { paymentId, model, now, hold });
        break;
      default:
        move satisfies never;
    }
    model = { ...model, asked: later(model, await clock.now(), hold) };
    await compare(session, { paymentId, model });
  }
}

async function ask(
  session: Session,
  { paymentId, model, now, hold }: { paymentId: string; model: Model; now: number; hold: Hold },
): Promise<Model> {
  const requestKey = session.key();
  const answer = await askRefund(session, { paymentId, amount: "1.00", requestKey });
  const status = entered(model, now, hold);
  const requirement = requirementOf(status, true);
  const { profile } = session.target;
  must("P-REFUND-STATUS-CODE", isCreated(answer, profile), () => {
    return `a refund that is ${status}: ${profile.statuses.refundCreated} expected, ${shown(answer)} came`;
  });
  must(
    requirement,
    answer.body["paymentStatus"] === status,
    () =>
      `a refund of a payment that ${words(model, now, hold)}: ${status} expected, ${shown(answer)} came`,
  );
  return {
    ...model,
    asked: [...model.asked, { requestKey, status, isEarly: model.debit === "processing" }],
  };
}

/** Every refund is where the model says, also those that must not have moved. */
async function compare(
  session: Session,
  { paymentId, model }: { paymentId: string; model: Model },
): Promise<void> {
  for (const { requestKey, status, isEarly } of model.asked) {
    const seen = await statusNow(session, { paymentId, cents: CENTS, requestKey });
    if (seen === undefined) return;
    const isFinal = seen === "PENDING" || status === "PENDING" || status === seen;
    // Asked for before the settlement, and not held until three business days after it.
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
