import type { Profile } from "@countersign/schemas";
import type { ServiceSession } from "./service-session.ts";
import type { ServiceStates } from "./service-states.ts";
import { cause, customer, payment, refund, subscribe, type Callback } from "./service-steps.ts";

/** What a handler has beside the merchant of its interaction. */
interface SetupContext {
  readonly session: ServiceSession;
  readonly profile: Profile;
  /** Another merchant. */
  readonly another: () => Promise<ServiceSession>;
  /** Lets the calls of the interaction go with a token of this scope alone. */
  readonly narrow: (scope: string) => Promise<void>;
  readonly callback: Callback;
}

type Values = Readonly<Record<string, unknown>>;

type Setups = {
  readonly [Name in keyof ServiceStates]: (
    context: SetupContext,
    params: ServiceStates[Name],
  ) => Promise<Values>;
};

/** What each state does: calls of the interface and of `/sandbox/`, and no inside knowledge. */
export const serviceSetups: Setups = {
  "a merchant": () => Promise.resolve({}),
  "a payment": ({ session }, { status }) => payment(session, { status }),
  "a payment that is wholly refunded": async ({ session }) => {
    const made = await payment(session, { status: "settled" });
    await refund(session, { ...made, value: "80.00" });
    return made;
  },
  "a refund": async ({ session }) => {
    const { paymentId } = await payment(session, { status: "settled" });
    return refund(session, { paymentId });
  },
  "a refund with a requestKey": async ({ session }, { requestKey }) => {
    const made = await payment(session, { status: "settled" });
    await refund(session, { ...made, requestKey });
    return made;
  },
  "a debit with a requestKey": async ({ session }, { requestKey }) => {
    await payment(session, { status: "processing", more: { requestKey } });
    return payment(session, { status: "settled" });
  },
  "a payment of another merchant": async ({ another }) =>
    payment(await another(), { status: "settled" }),
  "a customer": async ({ session }, { status, linked }) => {
    const customerId = await customer(session, { linked });
    if (status === "ACTIVE" || status === "INACTIVE")
      await session.call("POST", `/sandbox/customers/${customerId}/activate`);
    if (status === "INACTIVE")
      await session.call("POST", `/sandbox/customers/${customerId}/deactivate`);
    return { customerId };
  },
  "a customer of another merchant": async ({ another }) => ({
    customerId: await customer(await another(), { linked: true }),
  }),
  "a subscription": subscribe,
  "a closed subscription": async (context) => {
    const made = await subscribe(context);
    const order = { subscriptionId: made.subscriptionKey, subscriptionDetails: { type: "ALL" } };
    await context.session.call("PUT", "/v1/webhook/unsubscribe", order);
    return made;
  },
  "a subscription of another merchant": async (context) =>
    subscribe({ ...context, session: await context.another() }),
  "all subscriptions are taken": async (context) => {
    const { maxPerMerchant } = context.profile.subscription;
    for (let taken = 0; taken < maxPerMerchant; taken++) await subscribe(context);
    return {};
  },
  "a body that is too large": ({ profile }) =>
    Promise.resolve({ padding: "x".repeat(profile.limits.bodyBytes) }),
  "a token of one scope": async ({ narrow, profile }, { scope }) => {
    await narrow(profile.token.scopes[scope]);
    return {};
  },
  "a client": () => Promise.resolve({}),
  "a service in trouble": async ({ session }, { route, status, retryAfterSeconds }) => {
    const fault = { route, kind: "status", status, retryAfterSeconds };
    await session.call("PUT", "/sandbox/faults", { faults: [fault] });
    return {};
  },
  "an event": async (context, params) => {
    await subscribe(context);
    await cause(context.session, params);
    return {};
  },
};
