import fc from "fast-check";
import { call, command, expectBody, index, nth, type Command, type Namespace } from "./command.ts";
import type { Ledger, Predicted } from "./ledger.ts";
import { CATEGORIES, TYPES, type Details } from "./subscribers.ts";

/** Of the standard profile. */
const LIMIT = 10;

const details: fc.Arbitrary<Details> = fc.oneof(
  fc.constant({ type: "ALL" as const }),
  fc
    .subarray([...CATEGORIES], { minLength: 1 })
    .map((names) => ({ type: "CATEGORY" as const, details: names })),
  {
    weight: 3,
    arbitrary: fc
      .subarray([...TYPES], { minLength: 1 })
      .map((names) => ({ type: "EVENT" as const, details: names })),
  },
);

async function subscribeTo(ledger: Ledger, real: Namespace, wanted: Details): Promise<void> {
  const { subscribers } = ledger;
  const isFull = subscribers.open >= LIMIT;
  const predicted: Predicted = isFull ? [422, "SUBSCRIPTION_LIMIT_REACHED"] : [200];
  const order = {
    url: `${real.receiver}/${subscribers.all.length}`,
    secretKey: "a-secret-of-24-characters-or-more",
    subscriptionDetails: wanted,
  };
  const body = await call(real, ["POST", "/v1/webhook/subscribe", order], predicted);
  if (!isFull) subscribers.add(String(body["subscriptionKey"]), wanted);
}

export const subscribe: fc.Arbitrary<Command> = details.map((wanted) =>
  command(`subscribe(${JSON.stringify(wanted)})`, (ledger, real) =>
    subscribeTo(ledger, real, wanted),
  ),
);

/** One more than there may be; a free number of them never comes so far. */
export const subscribeBeyond: fc.Arbitrary<Command> = fc.constant(
  command("subscribe beyond the limit", async (ledger, real) => {
    const wanted = { type: "EVENT" as const, details: ["payment.canceled"] };
    while (ledger.subscribers.open < LIMIT) await subscribeTo(ledger, real, wanted);
    await subscribeTo(ledger, real, wanted);
  }),
);

export const unsubscribe: fc.Arbitrary<Command> = fc.tuple(index, details).map(([at, unwanted]) =>
  command(`unsubscribe(${at}, ${JSON.stringify(unwanted)})`, async ({ subscribers }, real) => {
    const subscriber = nth(subscribers.all, at);
    const order = { subscriptionId: subscriber.key, subscriptionDetails: unwanted };
    const body = await call(real, ["PUT", "/v1/webhook/unsubscribe", order], [200]);
    expectBody(body, { subscriptionKey: subscriber.key });
    subscribers.subtract(subscriber, unwanted);
  }),
);
