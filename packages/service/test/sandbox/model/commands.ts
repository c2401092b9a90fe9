import fc from "fast-check";
import { expect } from "vitest";
import { usd, type Body, type TestSandbox } from "../open-sandbox.ts";
import { refundData, type Ledger, type Predicted, type RefundAsk } from "./ledger.ts";

export interface Namespace {
  readonly call: TestSandbox["call"];
  readonly restart: () => Promise<void>;
  readonly token: string;
  /** The receiver's URL, with its own path. */
  readonly receiver: string;
  /** Every answer, so that a campaign can show its coverage. */
  readonly seen: Set<string>;
}

type Command = fc.AsyncCommand<Ledger, Namespace>;
type Call = readonly [method: "GET" | "POST" | "PUT", path: string, json?: object];

export const iso = (at: number): string => new Date(at).toISOString();
const HOUR_MS = 3_600_000;
const index = fc.nat({ max: 11 });

/** Makes a call and compares its answer's status, a refusal's code, and the body if given, with the prediction. */
export async function call(
  { call: send, token, seen }: Namespace,
  [method, path, json]: Call,
  predicted: Predicted,
  expected?: object,
): Promise<Body> {
  const { status, body } = await send(method, path, { token, json });
  const { errorCode = "none" } = (body["errorDetails"] ?? {}) as { readonly errorCode?: string };
  expect(status < 400 ? [status] : [status, errorCode]).toEqual(predicted);
  if (expected !== undefined) expect(body).toEqual(expected);
  // A refund may fail with 201.
  seen.add([...predicted, ...(status === 201 ? [String(body["paymentStatus"])] : [])].join(" "));
  return body;
}

/** A command that counterexamples show by its name and numbers. */
function command(
  name: string,
  shown: unknown,
  run: (ledger: Ledger, real: Namespace) => Promise<void>,
  check: (ledger: Readonly<Ledger>) => boolean = () => true,
): Command {
  return { check, run, toString: () => `${name}(${JSON.stringify(shown)})` };
}

/** One of those that exist: commands name no ids, so that they can be replayed. */
function nth<T>(list: readonly T[], at: number): T {
  const one = list[at % list.length];
  if (one === undefined) throw new Error("a command ran without what it needs");
  return one;
}

const hasRefund = ({ refunds }: Readonly<Ledger>): boolean => refunds.length > 0;

const pay = fc
  .record({ cents: fc.integer({ min: 1, max: 900 }), isUsed: fc.boolean(), at: index })
  .map((given) =>
    command("pay", given, async (ledger, real) => {
      const { cents, isUsed, at } = given;
      const key = isUsed ? nth(ledger.keys, at) : `pay-${ledger.events.length}`;
      const { customerId } = ledger;
      const order = { customerId, amount: usd(cents / 100), requestKey: key };
      const predicted: Predicted = isUsed ? [409, "DUPLICATE_REQUEST_KEY"] : [201];
      const body = await call(real, ["POST", "/sandbox/payments", order], predicted);
      if (!isUsed) ledger.paid({ id: String(body["paymentId"]), cents, key });
    }),
  );

/** The bank settles a debit so many hours from now, but not before its creation, or moves it otherwise. */
const move = fc
  .tuple(index, fc.constantFrom(-400, -120, -24, 0, 0, 48, "authorize", "fail", "cancel", "cover"))
  .map(([at, what]) =>
    command("move", [at, what], async (ledger, real) => {
      const debit = nth(ledger.debits, at);
      const send = (path: string, predicted: Predicted, json: object = {}) =>
        call(real, ["POST", `/sandbox/payments/${debit.id}/${path}`, json], predicted);
      if (typeof what === "number") {
        // Two of the offsets are outside of what is accepted.
        const earliest = what === -400 ? 0 : debit.createdAt;
        const settledAt = Math.max(earliest, ledger.now + what * HOUR_MS);
        await send("settle", ledger.settle(debit, settledAt), { settledAt: iso(settledAt) });
      } else if (what === "authorize") await send(what, ledger.authorize(debit));
      else if (what === "fail") await send(what, ledger.fail(debit, "TERMINAL_FAILED"));
      else if (what === "cover") await send(what, ledger.cover(debit));
      else await send("fail", ledger.fail(debit, "CANCELED"), { status: "CANCELED" });
    }),
  );

/** Moves the clock by so many ms, back, or to the threshold of a refund or a millisecond around it. */
const time = fc
  .oneof(
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 12 * 24 * HOUR_MS }) },
    { weight: 3, arbitrary: fc.tuple(index, fc.constantFrom(-1, 0, 1)) },
    fc.constant(-1),
  )
  .map((goal) =>
    command("clock", goal, async (ledger, real) => {
      const due = ledger.refunds.flatMap(({ dueAt }) => dueAt ?? []);
      let to = ledger.now;
      if (typeof goal === "number") to += goal;
      else if (due.length > 0) to = Math.max(to, nth(due, goal[0]) + goal[1]);
      const set: Call = ["PUT", "/sandbox/clock", { now: iso(to) }];
      if (to < ledger.now) await call(real, set, [409, "CLOCK_GOES_FORWARD"]);
      else {
        const instants = ledger.moveTo(to).map(iso);
        await call(real, set, [200], { now: iso(to), instants });
      }
    }),
  );

/** Asks for a refund and compares the whole answer with the ledger. */
async function ask(ledger: Ledger, real: Namespace, asked: RefundAsk): Promise<void> {
  const predicted = ledger.ask(asked);
  const { of, cents, key: requestKey, descriptor } = asked;
  const texts = { clientReferenceId: asked.reference, softDescriptor: descriptor };
  const order = { paymentId: of.id, amount: usd(cents / 100), requestKey, ...texts };
  const body = await call(real, ["POST", "/v1/refunds", order], predicted);
  if (predicted[0] === 201) {
    expect(body).toEqual(refundData(ledger.asked(asked, String(body["paymentId"]))));
    return;
  }
  const holder = ledger.refunds.find((one) => one.ask.key === requestKey);
  const first = holder?.ask;
  const sameRequest = first?.of === of && first.cents === cents && first.descriptor === descriptor;
  const existing = { paymentId: holder?.id, paymentStatus: holder?.status, sameRequest };
  expect(body["existing"]).toEqual(holder && existing);
}

const optional = (texts: fc.Arbitrary<string>) => fc.option(texts, { nil: undefined });
const refund = fc
  .record({
    at: index,
    // The remainder, and a cent more or less: random numbers rarely meet these bounds.
    cents: fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 400 }) },
      { weight: 2, arbitrary: fc.constantFrom("+0", "+1", "-1") },
    ),
    isUsed: fc.nat({ max: 5 }).map((one) => one === 0),
    reference: optional(fc.string({ minLength: 1, unit: fc.constantFrom("é", "😀", '"', "\\") })),
    descriptor: optional(fc.constant("Order 7")),
  })
  .map((given) =>
    command("refund", given, async (ledger, real) => {
      const { at, isUsed, cents, ...texts } = given;
      const of = nth(ledger.debits, at);
      const key = isUsed ? nth(ledger.keys, at) : `refund-${ledger.events.length}`;
      const asked = typeof cents === "number" ? cents : ledger.left(of) + Number(cents);
      await ask(ledger, real, { of, cents: Math.max(1, asked), key, ...texts });
    }),
  );

/** The same request again, or another one with its key. */
const again = fc.tuple(index, fc.nat({ max: 1 })).map(([at, more]) =>
  command(
    "again",
    [at, more],
    (ledger, real) => {
      const { ask: first } = nth(ledger.refunds, at);
      return ask(ledger, real, { ...first, cents: first.cents + more });
    },
    hasRefund,
  ),
);

/** The receiving bank returns a refund; its amount can be refunded again, and no more. */
const returned = fc.tuple(index, fc.boolean()).map(([at, isAsked]) =>
  command(
    "return",
    [at, isAsked],
    async (ledger, real) => {
      const {
        id,
        ask: { of },
      } = nth(ledger.refunds, at);
      const predicted = ledger.return(nth(ledger.refunds, at));
      await call(real, ["POST", `/sandbox/payments/${id}/return`], predicted);
      if (predicted[0] !== 200 || !isAsked) return;
      const key = `returned-${ledger.events.length}`;
      const cents = ledger.left(of);
      await ask(ledger, real, { of, key, cents: cents + 1 });
      await ask(ledger, real, { of, key: `${key}-exactly`, cents });
    },
    hasRefund,
  ),
);

const restart = fc.constant(command("restart", "", (_, real) => real.restart()));

const times = (count: number, one: fc.Arbitrary<Command>) =>
  Array.from({ length: count }, () => one);
/** In proportions that lead to long runs. */
export const commands: readonly fc.Arbitrary<Command>[] = [
  ...times(5, refund),
  ...times(4, move),
  ...times(3, time),
  pay,
  again,
  returned,
  restart,
];
