import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eligibleAt } from "../src/hold.ts";
import {
  decide,
  onFailed,
  onReturned,
  onSettled,
  onTime,
  type Debit,
  type Refund,
} from "../src/refund.ts";
import { drawnMoves, type Move } from "./diagrams.ts";
import { debits, instants, refunds, standardHold } from "./refunds.ts";

const moves = drawnMoves("A refund (S 3.1):");
const TRIGGERS = ["request", "settled", "time", "failed", "covered", "returned"] as const;
type Trigger = (typeof TRIGGERS)[number];

/** All that a step of a refund can depend on. */
interface World {
  readonly before: Refund;
  readonly debit: Debit;
  readonly settledAt: number;
  readonly now: number;
}

const worlds: fc.Arbitrary<World> = fc.record({
  before: refunds,
  debit: debits,
  settledAt: instants,
  now: instants,
});

function step(trigger: Trigger, world: World): { before: Refund | undefined; after: Refund } {
  const { before, debit, settledAt, now } = world;
  switch (trigger) {
    case "request":
      return { before: undefined, after: decided({ debit, now }) };
    case "settled":
      return { before, after: onSettled(before, { settledAt, now, hold: standardHold }) };
    case "time":
      return { before, after: onTime(before, now) };
    case "failed":
    case "covered":
      return { before, after: onFailed(before) };
    case "returned":
      return { before, after: onReturned(before) };
    default:
      return trigger satisfies never;
  }
}

function decided(known: { debit: Debit; now: number }): Refund {
  const amounts = { amountCents: 1000n, reservedCents: 0n, askedCents: 700n };
  const decision = decide({ ...known, ...amounts, hold: standardHold });
  if (!decision.ok) throw new Error(`refused with ${decision.code}`);
  return decision.refund;
}

/** Judges the diagram's words, independently of the functions. */
function holds(condition: string, trigger: Trigger, world: World): boolean {
  const { before, debit, now } = world;
  const settledAt = debit.state === "settled" ? debit.settledAt : Infinity;
  const isDue = settledAt !== Infinity && now >= eligibleAt(settledAt, standardHold);
  const known = before.status === "PENDING" ? (before.eligibleAt ?? Infinity) : Infinity;
  const threshold = trigger === "settled" ? eligibleAt(world.settledAt, standardHold) : known;
  switch (condition) {
    case "the payment failed or is covered":
      return debit.state === "failed" || debit.state === "covered";
    case "the payment is processing, or settled and now < eligibleAt":
      return debit.state === "processing" || (debit.state === "settled" && !isDue);
    case "the payment is settled and now >= eligibleAt":
      return isDue;
    case "now < eligibleAt":
      return now < threshold;
    case "now >= eligibleAt":
      return now >= threshold;
    default:
      throw new Error(`the diagram has an unknown condition: ${condition}`);
  }
}

function rowsFor(trigger: Trigger, world: World): readonly Move[] {
  const from = trigger === "request" ? undefined : world.before.status;
  return moves.filter(
    (row) =>
      row.from === from &&
      row.trigger === trigger &&
      (row.condition === undefined || holds(row.condition, trigger, world)),
  );
}

function effectOf({ before, after }: { before: Refund | undefined; after: Refund }): string {
  const words: string[] = [];
  const hasFailed = after.status === "TERMINAL_FAILED";
  if (hasFailed) words.push(after.errorDetails.errorCode);
  if (before === undefined && !hasFailed) words.push("reserves its amount");
  if (before !== undefined && hasFailed) words.push("releases its amount");
  const event = { PENDING: "pending", AUTHORIZED: "authorized", TERMINAL_FAILED: "failed" };
  const changes = words.join(", ");
  return `${changes}${changes === "" ? "" : "; "}refund.${event[after.status]}`;
}

describe("the diagram of a refund's states (S 3.1)", () => {
  it("has exactly the moves that the functions make", () => {
    const met = new Set<number>();
    fc.assert(
      fc.property(fc.constantFrom(...TRIGGERS), worlds, (trigger, world) => {
        const rows = rowsFor(trigger, world);
        const done = step(trigger, world);
        expect(rows.length).toBeLessThanOrEqual(1);
        for (const row of rows) {
          met.add(moves.indexOf(row));
          expect(done.after.status).toBe(row.to);
          const isMove = done.before?.status !== done.after.status;
          expect(row.effect).toBe(
            isMove ? effectOf(done) : "eligibleAt counts from this settlement",
          );
        }
        expect(rows.length === 0 ? done.after : undefined).toBe(
          rows.length === 0 ? done.before : undefined,
        );
      }),
      { numRuns: 1000 },
    );
    expect(met.size).toBe(moves.length);
  });
});
