import fc from "fast-check";
import { call, command, expectBody, index, nth, type Command } from "./command.ts";
import type { Predicted } from "./ledger.ts";
import { CATEGORIES, TYPES, type Details } from "./subscribers.ts";

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

export const subscribe: fc.Arbitrary<Command> = details.map((wanted) =>
  command(`subscribe(${JSON.stringify(wanted)})`, async ({ subscribers }, real) => {
    const isFull = subscribers.open >= 10;
    const predicted: Predicted = isFull ? [422, "SUBSCRIPTION_LIMIT_REACHED"] : [200];
    const order = {
      url: `${real.receiver}/${subscribers.all.length}`,
      secretKey: "a-secret-of-24-characters-or-more",
      subscriptionDetails: wanted,
    };
    const body = await call(real, ["POST", "/v1/webhook/subscribe", order], predicted);
    if (!isFull) subscribers.add(String(body["subscriptionKey"]), wanted);
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
