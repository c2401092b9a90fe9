import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decide,
  onCovered,
  onFailed,
  onReturned,
  onSettled,
  onTime,
  type Debit,
  type Refund,
} from "../src/refund.ts";
import { reservationChange } from "../src/refund.ts";
import { ms, standardHold } from "./holds.ts";

const HOUR = 3_600_000;
const AMOUNT = 1000n;
const hold = standardHold;

/** One payment with its refunds, as a service keeps them by the rules. */
class Ledger {
  debit: Debit = { state: "processing" };
  now: number = ms("2026-11-20T12:00:00.000Z");
  reservedCents = 0n;
  refused = 0;
  readonly lateReturn: boolean;
  readonly refunds: { cents: bigint; state: Refund }[] = [];

  constructor(lateReturn: boolean) {
    this.lateReturn = lateReturn;
  }

  ask(cents: bigint): boolean {
    const { debit, reservedCents, now } = this;
    const decision = decide({
      debit,
      amountCents: AMOUNT,
      reservedCents,
      askedCents: cents,
      now,
      hold,
    });
    if (!decision.ok) {
      this.refused += 1;
      return false;
    }
    this.refunds.push({ cents, state: decision.refund });
    this.reservedCents += reservationChange({ before: undefined, after: decision.refund }, cents);
    return true;
  }

  move(change: (state: Refund) => Refund): void {
    for (const refund of this.refunds) {
      const before = refund.state;
      refund.state = change(before);
      this.reservedCents += reservationChange({ before, after: refund.state }, refund.cents);
    }
  }
}

/** What S 3.1 says in the simplest words: each refund's status, and what is left. */
interface Model {
  debit: Debit["state"];
  readonly refunds: { cents: bigint; status: Refund["status"] }[];
}

type Step = fc.Command<Model, Ledger>;

function left(model: Model): bigint {
  return model.refunds
    .filter(({ status }) => status !== "TERMINAL_FAILED")
    .reduce((remaining, { cents }) => remaining - cents, AMOUNT);
}

function failPending(model: Model): void {
  for (const refund of model.refunds)
    if (refund.status === "PENDING") refund.status = "TERMINAL_FAILED";
}

// Independent of the code: 3 business days after any instant from 20 November on, at the earliest and
// at the latest.
const SURELY_HELD = 2 * 24 * HOUR;
const SURELY_DUE = 8 * 24 * HOUR;

function check(model: Model, ledger: Ledger): void {
  // What is held never exceeds the payment, and is what the refunds hold.
  expect(ledger.reservedCents).toBe(AMOUNT - left(model));
  expect(ledger.reservedCents).toBeLessThanOrEqual(AMOUNT);
  expect(ledger.refunds.map(({ state }) => state.status)).toEqual(
    model.refunds.map(({ status }) => status),
  );
}

function command(
  name: string,
  can: Step["check"],
  run: (model: Model, ledger: Ledger) => void,
): Step {
  return {
    check: can,
    run: (model, ledger) => {
      run(model, ledger);
      check(model, ledger);
    },
    toString: () => name,
  };
}

/** Asks for a share of what is left, for all of it, or for a cent more. */
function ask(share: number, extra: bigint): Step {
  return command(
    `ask(${share}, ${extra})`,
    () => true,
    (model, ledger) => {
      const cents = (left(model) * BigInt(share)) / 100n + extra;
      const asked = cents < 1n ? 1n : cents;
      const hasFailed = model.debit === "failed" || model.debit === "covered";
      const isTaken = ledger.ask(asked);
      expect(isTaken).toBe(hasFailed || asked <= left(model));
      if (!isTaken) return;
      const state = ledger.refunds.at(-1)?.state.status ?? "PENDING";
      expect(state === "TERMINAL_FAILED").toBe(hasFailed);
      expect(state === "AUTHORIZED" && model.debit !== "settled").toBe(false);
      model.refunds.push({ cents: asked, status: state });
    },
  );
}

const settle = command(
  "settle",
  (model) => model.debit === "processing",
  (model, ledger) => {
    model.debit = "settled";
    const { now } = ledger;
    ledger.debit = { state: "settled", settledAt: now };
    ledger.move((state) => onSettled(state, { settledAt: now, now, hold }));
  },
);

const fail = command(
  "fail",
  () => true,
  (model, ledger) => {
    model.debit = "failed";
    ledger.debit = { state: "failed" };
    failPending(model);
    ledger.move(onFailed);
  },
);

const cover = command(
  "cover",
  () => true,
  (model, ledger) => {
    model.debit = "covered";
    ledger.debit = { state: "covered" };
    failPending(model);
    ledger.move(onCovered);
  },
);

function wait(hours: number): Step {
  return command(
    `wait(${hours} h)`,
    () => true,
    (model, ledger) => {
      ledger.now += hours * HOUR;
      ledger.move((state) => onTime(state, ledger.now));
      const { debit, now } = ledger;
      const age = debit.state === "settled" ? now - debit.settledAt : 0;
      ledger.refunds.forEach(({ state }, index) => {
        const known = model.refunds[index];
        if (known?.status !== "PENDING") return;
        expect(state.status).not.toBe("TERMINAL_FAILED");
        expect(state.status === "AUTHORIZED" && age < SURELY_HELD).toBe(false);
        expect(state.status === "PENDING" && age > SURELY_DUE).toBe(false);
        known.status = state.status;
      });
    },
  );
}

const giveBack = command(
  "give back all",
  () => true,
  (model, ledger) => {
    ledger.move((state) => onReturned(state, { lateReturn: ledger.lateReturn }));
    for (const refund of model.refunds)
      if (ledger.lateReturn && refund.status === "AUTHORIZED") refund.status = "TERMINAL_FAILED";
  },
);

const asks = fc
  .tuple(fc.constantFrom(10, 50, 100), fc.constantFrom(0n, 0n, 1n))
  .map((args) => ask(...args));
const waits = fc.integer({ min: 1, max: 100 }).map(wait);

// Failure and cover end most that can happen, so that they are one kind of step among many.
const steps = [
  asks,
  asks,
  asks,
  waits,
  waits,
  waits,
  fc.constant(settle),
  fc.constant(settle),
  fc.constantFrom(fail, cover),
  fc.constant(giveBack),
];

describe("one payment with many refunds (T-07, T-08, T-16)", () => {
  it("holds what its refunds hold, and never more than its amount, at every step", () => {
    const counts = { refunds: 0, refused: 0, authorized: 0, failed: 0 };
    fc.assert(
      fc.property(
        fc.commands(steps, { maxCommands: 40, size: "max" }),
        fc.boolean(),
        (run, late) => {
          const model: Model = { debit: "processing", refunds: [] };
          const ledger = new Ledger(late);
          fc.modelRun(() => ({ model, real: ledger }), run);
          counts.refunds += ledger.refunds.length;
          const statuses = ledger.refunds.map(({ state }) => state.status);
          counts.authorized += statuses.filter((status) => status === "AUTHORIZED").length;
          counts.failed += statuses.filter((status) => status === "TERMINAL_FAILED").length;
          counts.refused += ledger.refused;
        },
      ),
      { numRuns: 300 },
    );
    // The runs have been somewhere: each kind of end was met often.
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(50);
  });
});
