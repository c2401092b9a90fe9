import fc from "fast-check";
import { expect } from "vitest";
import {
  call,
  command,
  hasRefund,
  index,
  nth,
  usd,
  usedKey,
  type Command,
  type Namespace,
} from "./command.ts";
import type { Ledger, Refund, RefundAsk } from "./ledger.ts";
import { refundData } from "./resources.ts";

/** Asks for a refund and holds the whole answer against the ledger. */
async function ask(ledger: Ledger, real: Namespace, asked: RefundAsk): Promise<void> {
  const predicted = ledger.ask(asked);
  const body = await call(
    real,
    [
      "POST",
      "/v1/refunds",
      {
        paymentId: asked.paymentId,
        amount: usd(asked.cents),
        requestKey: asked.key,
        clientReferenceId: asked.reference,
        softDescriptor: asked.descriptor,
      },
    ],
    predicted,
  );
  if (predicted[0] === 201) {
    expect(body).toEqual(refundData(ledger.asked(asked, String(body["paymentId"]))));
  } else {
    const holder = ledger.refunds.find((one) => one.ask.key === asked.key);
    expect(body["existing"]).toEqual(holder && existing(holder, asked));
  }
}

function existing(
  { id, status, ask: { paymentId, cents, descriptor } }: Refund,
  asked: RefundAsk,
): object {
  const sameRequest =
    paymentId === asked.paymentId && cents === asked.cents && descriptor === asked.descriptor;
  return { paymentId: id, paymentStatus: status, sameRequest };
}

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });

export const refund: fc.Arbitrary<Command> = fc
  .record({
    at: index,
    part: fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 400 }) },
      // What is left and a cent around it: a free number rarely meets these bounds.
      { weight: 2, arbitrary: fc.constantFrom("left", "left+1", "left-1") },
    ),
    isUsed: fc.nat({ max: 5 }).map((one) => one === 0),
    reference: optional(
      fc.string({ minLength: 1, unit: fc.constantFrom("é", "\u{1F600}", '"', "\\") }),
    ),
    descriptor: optional(fc.constant("Order 7")),
  })
  .map(({ at, part, isUsed, reference, descriptor }) =>
    command(`refund(${at}, ${part}${isUsed ? ", used key" : ""})`, async (ledger, real) => {
      const debit = nth(ledger.debits, at);
      const around = { left: 0, "left+1": 1, "left-1": -1 };
      const cents =
        typeof part === "number" ? part : Math.max(1, ledger.left(debit) + around[part]);
      const key = isUsed ? usedKey(ledger, at) : `refund-${ledger.events.length}`;
      await ask(ledger, real, { paymentId: debit.id, cents, key, reference, descriptor });
    }),
  );

/** The very same request once more, or another one with its key. */
export const again: fc.Arbitrary<Command> = fc.tuple(index, fc.boolean()).map(([at, isChanged]) =>
  command(
    `again(${at}${isChanged ? ", changed" : ""})`,
    (ledger, real) => {
      const { ask: first } = nth(ledger.refunds, at);
      return ask(ledger, real, isChanged ? { ...first, cents: first.cents + 1 } : first);
    },
    hasRefund,
  ),
);

/** Of what cannot be refunded. */
export const astray: fc.Arbitrary<Command> = fc
  .tuple(index, fc.constantFrom("of a refund", "of another merchant's", "of nothing"))
  .map(([at, what]) =>
    command(
      `refund ${what} (${at})`,
      (ledger, real) => {
        const targets = {
          "of a refund": nth(ledger.refunds, at).id,
          "of another merchant's": real.foreign,
          "of nothing": "pay_unknown",
        };
        const key = `astray-${ledger.events.length}`;
        const none = { reference: undefined, descriptor: undefined };
        return ask(ledger, real, { paymentId: targets[what], cents: 1, key, ...none });
      },
      hasRefund,
    ),
  );

export const misspelt: fc.Arbitrary<Command> = fc
  .constantFrom(0, -1, 1.005, 1e21, "1.00", null)
  .map((value) =>
    command(`refund of ${JSON.stringify(value)}`, async (ledger, real) => {
      const { id: paymentId } = nth(ledger.debits, 0);
      const json = { paymentId, amount: { currency: "USD", value }, requestKey: "misspelt" };
      await call(real, ["POST", "/v1/refunds", json], [400, "INVALID_AMOUNT"]);
    }),
  );

/** The receiving bank returns a refund; what it gives back can be refunded once more, and no more. */
export const returned: fc.Arbitrary<Command> = fc.tuple(index, fc.boolean()).map(([at, isAsked]) =>
  command(
    `return(${at})${isAsked ? " and refund what is left" : ""}`,
    async (ledger, real) => {
      const { id, of } = nth(ledger.refunds, at);
      const predicted = ledger.return(nth(ledger.refunds, at));
      await call(real, ["POST", `/sandbox/payments/${id}/return`], predicted);
      if (predicted[0] !== 200 || !isAsked) return;
      const asked = { paymentId: of.id, reference: undefined, descriptor: undefined };
      const key = `returned-${ledger.events.length}`;
      const cents = ledger.left(of);
      await ask(ledger, real, { ...asked, key, cents: cents + 1 });
      await ask(ledger, real, { ...asked, key: `${key}-exactly`, cents });
    },
    hasRefund,
  ),
);
