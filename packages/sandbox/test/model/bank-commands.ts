import fc from "fast-check";
import { LAST } from "./calendar.ts";
import {
  call,
  command,
  expectBody,
  index,
  iso,
  nth,
  usd,
  usedKey,
  type Command,
} from "./command.ts";
import type { Debit, Ledger, Predicted } from "./ledger.ts";

export const pay: fc.Arbitrary<Command> = fc
  .record({ cents: fc.integer({ min: 1, max: 900 }), isUsed: fc.boolean(), by: index })
  .map(({ cents, isUsed, by }) =>
    command(`pay(${cents}${isUsed ? `, used key ${by}` : ""})`, async (ledger, real) => {
      const requestKey = isUsed ? usedKey(ledger, by) : `pay-${ledger.events.length}`;
      const order = { customerId: ledger.customerId, amount: usd(cents), requestKey };
      const predicted: Predicted = isUsed ? [409, "DUPLICATE_REQUEST_KEY"] : [201];
      const body = await call(real, ["POST", "/sandbox/payments", order], predicted);
      if (!isUsed) ledger.paid({ id: String(body["paymentId"]), cents, key: requestKey });
    }),
  );

type Step = (
  ledger: Ledger,
  debit: Debit,
) => { readonly predicted: Predicted; readonly json?: object };

/** A move of a debit by the bank. */
function move(name: string, step: Step): (at: number) => Command {
  const [path = ""] = name.split(" ");
  return (at) =>
    command(`${name} (${at})`, async (ledger, real) => {
      const debit = nth(ledger.debits, at);
      const { predicted, json = {} } = step(ledger, debit);
      await call(real, ["POST", `/sandbox/payments/${debit.id}/${path}`, json], predicted);
    });
}

const settle = fc.tuple(index, fc.constantFrom(-400, -120, -24, 0, 0, 48)).map(([at, hours]) =>
  move(`settle ${hours} h`, (ledger, debit) => {
    const settledAt = ledger.now + hours * 3_600_000;
    return { predicted: ledger.settle(debit, settledAt), json: { settledAt: iso(settledAt) } };
  })(at),
);
const authorize = index.map(
  move("authorize", (ledger, debit) => ({ predicted: ledger.authorize(debit) })),
);
const fail = index.map(
  move("fail", (ledger, debit) => ({ predicted: ledger.fail(debit, "TERMINAL_FAILED") })),
);
const cancel = index.map(
  move("fail canceled", (ledger, debit) => {
    return { predicted: ledger.fail(debit, "CANCELED"), json: { status: "CANCELED" } };
  }),
);
const cover = index.map(move("cover", (ledger, debit) => ({ predicted: ledger.cover(debit) })));

export const moves: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: settle },
  authorize,
  fail,
  cancel,
  cover,
);

type Goal = number | readonly [at: number, by: number] | "back";

/** The clock goes so far, or to the threshold of a refund and a millisecond around it. */
export const time: fc.Arbitrary<Command> = fc
  .oneof(
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 12 * 86_400_000 }) },
    { weight: 3, arbitrary: fc.tuple(index, fc.constantFrom(-1, 0, 1)) },
    fc.constant("back" as const),
  )
  .map((goal) =>
    command(
      `clock(${String(goal)})`,
      async (ledger, real) => {
        const to = instantOf(ledger, goal);
        const now = iso(to);
        if (to < ledger.now) {
          await call(real, ["PUT", "/sandbox/clock", { now }], [409, "CLOCK_GOES_FORWARD"]);
          return;
        }
        const instants = ledger.moveTo(to).map(iso);
        const body = await call(real, ["PUT", "/sandbox/clock", { now }], [200]);
        expectBody(body, { now, instants });
      },
      // The table of closed days ends.
      ({ now }) => now < LAST - 40 * 86_400_000,
    ),
  );

function instantOf({ now, refunds }: Ledger, goal: Goal): number {
  if (goal === "back") return now - 1;
  if (typeof goal === "number") return now + goal;
  const [at, by] = goal;
  const due = refunds.flatMap(({ dueAt }) => (dueAt === undefined ? [] : [dueAt]));
  return due.length === 0 ? now : Math.max(now, nth(due, at) + by);
}

export const restart: fc.Arbitrary<Command> = fc.constant(
  command("restart", (_, { live }) => live.restart()),
);
