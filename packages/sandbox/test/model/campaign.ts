import { profiles } from "@countersign/schemas/profiles";
import type { Driver } from "@countersign/service";
import fc from "fast-check";
import { moves, pay, restart, time } from "./bank-commands.ts";
import { FIRST } from "./calendar.ts";
import { call, iso, usd, type Namespace } from "./command.ts";
import { expectAll } from "./expect-all.ts";
import { Ledger, type Debit } from "./ledger.ts";
import { openReceiver } from "../open-sandbox.ts";
import { openLive, type Live } from "./live.ts";
import { again, astray, misspelt, refund, returned } from "./refund-commands.ts";
import { subscribe, subscribeBeyond, unsubscribe } from "./subscription-commands.ts";

/** `returns`: of a profile in which the receiving bank may return a refund. */
export type Kind = "standard" | "returns";

const TWO_WEEKS_MS = 14 * 86_400_000;

// In the proportions in which a run comes far.
const commands = [
  ...Array.from({ length: 5 }, () => refund),
  ...Array.from({ length: 4 }, () => moves),
  ...Array.from({ length: 3 }, () => time),
  pay,
  again,
  astray,
  misspelt,
  returned,
  subscribe,
  subscribeBeyond,
  unsubscribe,
  restart,
];

/**
 * Runs command after command against a live sandbox over HTTP, each run in a namespace of its own, and
 * holds every answer, and in the end every event, delivery and payment, against the ledger. What fails
 * is told with its seed, and shrunk.
 *
 * @param connect Connects to one and the same database of a kind each time, which may be new the first time.
 * @returns How often each answer came.
 */
export async function campaign(
  connect: (kind: Kind) => Driver,
  runs: number,
): Promise<Map<string, number>> {
  const { standard } = profiles;
  const late = { ...standard, refund: { ...standard.refund, lateReturn: true } };
  const lives: Readonly<Record<Kind, Live>> = {
    standard: await openLive(() => connect("standard"), standard),
    returns: await openLive(() => connect("returns"), late),
  };
  const receiver = await openReceiver();
  const seen = new Map<string, number>();
  let run = 0;
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<Kind[]>("standard", "returns"),
        // Also over the ends of years and the hours that the clocks change.
        fc.integer({ min: FIRST, max: Date.parse("2027-12-31T00:00:00.000Z") }),
        fc.commands(commands, { maxCommands: 30, size: "max" }),
        async (kind, now, steps) => {
          run += 1;
          const opened = await openRun(lives[kind], now);
          const setup = {
            model: new Ledger({ now, lateReturn: kind === "returns", ...opened }),
            real: { ...opened, live: lives[kind], receiver: `${receiver.url}/${run}`, seen },
          };
          await fill(setup);
          await fc.asyncModelRun(() => setup, steps);
          await expectAll(setup, receiver.arrived);
        },
      ),
      { numRuns: runs },
    );
    return seen;
  } finally {
    await lives.standard.close();
    await lives.returns.close();
  }
}

interface OpenedRun {
  readonly token: string;
  readonly customerId: string;
  readonly foreign: string;
}

/** A new namespace with a customer whose account is linked. */
async function openRun(live: Live, now: number): Promise<OpenedRun> {
  const made = await live.call("POST", "/sandbox/merchants", { json: { now: iso(now) } });
  const token = String(made.body["accessToken"]);
  const customer = await live.call("POST", "/sandbox/customers", { token });
  const customerId = String(customer.body["id"]);
  await live.call("POST", `/sandbox/customers/${customerId}/link`, { token });
  // The first namespace is another one.
  const others = await live.call("GET", "/sandbox/payments");
  const [other] = others.body["payments"] as { readonly paymentId: string }[];
  return { token, customerId, foreign: other?.paymentId ?? "none" };
}

/**
 * A subscription, a payment whose threshold has passed and two that are still processing, so that
 * every command has something to work on.
 */
async function fill({ model, real }: { model: Ledger; real: Namespace }): Promise<void> {
  const order = {
    url: `${real.receiver}/0`,
    secretKey: "a-secret-of-24-characters-or-more",
    subscriptionDetails: { type: "ALL" as const },
  };
  const { subscriptionKey } = await call(real, ["POST", "/v1/webhook/subscribe", order], [200]);
  model.subscribers.add(String(subscriptionKey), order.subscriptionDetails);
  const made = async (key: string, cents: number): Promise<Debit> => {
    const payment = { customerId: model.customerId, amount: usd(cents), requestKey: key };
    const { paymentId } = await call(real, ["POST", "/sandbox/payments", payment], [201]);
    return model.paid({ id: String(paymentId), cents, key });
  };
  const old = await made("old", 700);
  const settled = model.settle(old, model.now);
  await call(real, ["POST", `/sandbox/payments/${old.id}/settle`], settled);
  model.moveTo(model.now + TWO_WEEKS_MS);
  await call(real, ["PUT", "/sandbox/clock", { now: iso(model.now) }], [200]);
  await made("first", 1000);
  await made("second", 300);
}
