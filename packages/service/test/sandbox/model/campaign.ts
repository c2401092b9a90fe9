import type { Driver } from "../../../src/store/driver.ts";
import fc from "fast-check";
import { expect } from "vitest";
import { openReceiver, openSandbox, usd, type Arrived, type TestSandbox } from "../open-sandbox.ts";
import { call, commands, iso, type Namespace } from "./commands.ts";
import { Ledger, type Debit, type Event } from "./ledger.ts";

const TWO_WEEKS_MS = 14 * 86_400_000;
// Also over the ends of years and the hours at which clocks change.
const starts = fc.integer({
  min: Date.parse("2026-01-01T12:00:00.000Z"),
  max: Date.parse("2027-12-31T00:00:00.000Z"),
});

/**
 * Runs commands against a sandbox over HTTP, each run in a new namespace, and compares every answer, and
 * finally every event, delivery and payment, with the ledger. A failure is shrunk and shown with its seed.
 *
 * @param connect Connects to the same database each time.
 * @returns The kinds of answers that arrived.
 */
export async function campaign(connect: () => Promise<Driver>, runs: number): Promise<Set<string>> {
  const live = await openLive(connect);
  const receiver = await openReceiver();
  const seen = new Set<string>();
  let run = 0;
  try {
    await fc.assert(
      fc.asyncProperty(
        starts,
        fc.commands([...commands], { maxCommands: 30, size: "max" }),
        async (now, steps) => {
          run += 1;
          const { token, customerId } = await openRun(live.call, now);
          const real = { ...live, token, receiver: `${receiver.url}/${run}`, seen };
          const setup = { model: new Ledger(now, customerId), real };
          await fill(setup.model, real);
          await fc.asyncModelRun(() => setup, steps);
          await expectAll(setup.model, real, receiver.arrived);
        },
      ),
      { numRuns: runs },
    );
    return seen;
  } finally {
    await live.close();
  }
}

/** A sandbox that can be stopped and started again over its database. */
async function openLive(connect: () => Promise<Driver>) {
  const ends: (() => void | Promise<void>)[] = [];
  const start = async (): Promise<TestSandbox> =>
    openSandbox({ driver: await connect() }, (end) => ends.push(end));
  let one = await start();
  const close = async (): Promise<void> => {
    await one.sandbox.close({ graceMs: 1000 });
    for (const end of ends.splice(0).toReversed()) await end();
  };
  const restart = async (): Promise<void> => {
    await close();
    one = await start();
  };
  const send: TestSandbox["call"] = (...given) => one.call(...given);
  return { call: send, restart, close };
}

/** A new namespace with a customer whose account is linked. */
async function openRun(send: TestSandbox["call"], now: number) {
  const made = await send("POST", "/sandbox/merchants", { json: { now: iso(now) } });
  const token = String(made.body["accessToken"]);
  const customer = await send("POST", "/sandbox/customers", { token });
  const customerId = String(customer.body["id"]);
  await send("POST", `/sandbox/customers/${customerId}/link`, { token });
  return { token, customerId };
}

/** Makes what commands need: a subscription, a payment that settled long ago and two that are processing. */
async function fill(ledger: Ledger, real: Namespace): Promise<void> {
  const secretKey = "a-secret-of-24-characters-or-more";
  const order = { secretKey, url: real.receiver, subscriptionDetails: { type: "ALL" } };
  await call(real, ["POST", "/v1/webhook/subscribe", order], [200]);
  const { customerId } = ledger;
  const made = async (key: string, cents: number): Promise<Debit> => {
    const payment = { customerId, amount: usd(cents / 100), requestKey: key };
    const { paymentId } = await call(real, ["POST", "/sandbox/payments", payment], [201]);
    return ledger.paid({ id: String(paymentId), cents, key });
  };
  const old = await made("old", 700);
  const settled = ledger.settle(old, ledger.now);
  await call(real, ["POST", `/sandbox/payments/${old.id}/settle`], settled);
  ledger.moveTo(ledger.now + TWO_WEEKS_MS);
  await call(real, ["PUT", "/sandbox/clock", { now: iso(ledger.now) }], [200]);
  await made("first", 1000);
  await made("second", 300);
}

type Row = Readonly<Record<string, string>>;

/** Compares everything in a namespace, and what its receiver got, with the ledger. */
async function expectAll(ledger: Ledger, real: Namespace, all: readonly Arrived[]): Promise<void> {
  // Answers once nothing is in flight.
  await real.call("PUT", "/sandbox/clock", { token: real.token, json: { advance: "PT0S" } });

  const payments = await listed(real, "payments");
  const states = payments.map(
    (one) => `${one["paymentId"]} ${one["paymentStatus"]} ${one["eligibleAt"]}`,
  );
  const predicted = [
    ...ledger.debits.map(({ id, status }) => `${id} ${status} undefined`),
    ...ledger.refunds.map(
      ({ id, status, dueAt }) => `${id} ${status} ${dueAt === undefined ? null : iso(dueAt)}`,
    ),
  ];
  expect(states.toSorted()).toEqual(predicted.toSorted());

  const events = (await listed(real, "events")).filter(({ type }) => isOfPayment(type));
  const written = events.map(({ type = "", timestamp = "", payload = "" }): Event => {
    const { data } = JSON.parse(payload) as Pick<Event, "data">;
    return { type, at: Date.parse(timestamp), data };
  });
  expect(inOrder(written)).toEqual(inOrder(ledger.events));

  // The one subscription selects every type: each event is delivered as it was written.
  const own = all.filter(({ path }) => path === new URL(real.receiver).pathname);
  const arrived = new Map(own.map(({ headers, body }) => [headers["webhook-id"], String(body)]));
  expect(arrived).toEqual(new Map(events.map(({ id, payload }) => [id, payload])));
  for (const { state } of await listed(real, "deliveries")) expect(state).toBe("delivered");
}

const isOfPayment = (type = ""): boolean => /^(?:payment|refund)\./.test(type);

async function listed(real: Namespace, name: string): Promise<Row[]> {
  const path = `/sandbox/${name}?limit=1000`;
  const { body } = await real.call("GET", path, { token: real.token });
  // The texts of a list call's rows; other members are not read.
  return body[name] as Row[];
}

/** Sorts events: those of one instant may arrive in any order. */
function inOrder(events: readonly Event[]): Event[] {
  const keyOf = ({ at, type, data }: Event): string => `${at} ${type} ${data.paymentId}`;
  return events.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
