import type { Profile } from "@countersign/schemas";
import type { EventParams, PaymentParams, ServiceStates } from "./service-states.ts";
import { text, type ServiceSession } from "./service-session.ts";

/** What a handler has beside the merchant of its interaction. */
export interface SetupContext {
  readonly session: ServiceSession;
  readonly profile: Profile;
  /** Another merchant. */
  readonly another: () => Promise<ServiceSession>;
  /** Lets the calls of the interaction go with a token of this scope alone. */
  readonly narrow: (scope: string) => Promise<void>;
  /** Where deliveries of this interaction are captured, and the secret that signs them. */
  readonly callback: { readonly url: string; readonly secretKey: string };
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

async function subscribe({
  session,
  callback: { url, secretKey },
}: SetupContext): Promise<{ subscriptionKey: string }> {
  const order = { url, secretKey, subscriptionDetails: { type: "ALL" } };
  const made = await session.call("POST", "/v1/webhook/subscribe", order);
  return { subscriptionKey: text(made, "subscriptionKey") };
}

async function customer(session: ServiceSession, { linked }: { linked: boolean }): Promise<string> {
  const id = text(await session.call("POST", "/sandbox/customers"), "id");
  if (linked) await session.call("POST", `/sandbox/customers/${id}/link`);
  return id;
}

/** More than three business days, whatever the holidays. */
const LONG = "P14D";

async function payment(
  session: ServiceSession,
  { status, more = {} }: PaymentParams & { readonly more?: object },
): Promise<{ paymentId: string }> {
  const customerId = await customer(session, { linked: true });
  const amount = { currency: "USD", value: 80 };
  const order = { customerId, amount, ...more };
  const paymentId = text(await session.call("POST", "/sandbox/payments", order), "paymentId");
  const move = (to: string): Promise<unknown> =>
    session.call("POST", `/sandbox/payments/${paymentId}/${to}`);
  await move("authorize");
  switch (status) {
    case "processing":
      break;
    case "settled":
      await move("settle");
      // No debit is settled before it was made, so that time must pass: the merchant's own.
      await session.call("PUT", "/sandbox/clock", { advance: LONG });
      break;
    case "held":
      await move("settle");
      break;
    case "failed":
      await move("fail");
      break;
    case "covered":
      await move("cover");
      break;
    default:
      status satisfies never;
  }
  return { paymentId };
}

interface RefundOrder {
  readonly paymentId: string;
  readonly value?: string;
  readonly requestKey?: string;
  readonly clientReferenceId?: string;
}

async function refund(
  session: ServiceSession,
  { paymentId, value = "10.50", requestKey = "the-first", clientReferenceId }: RefundOrder,
): Promise<{ paymentId: string }> {
  const more = clientReferenceId === undefined ? {} : { clientReferenceId };
  const order = { paymentId, requestKey, ...more };
  // The amount is written as text: JSON.stringify would not write 10.50.
  const body = `${JSON.stringify(order).slice(0, -1)},"amount":{"currency":"USD","value":${value}}}`;
  return { paymentId: text(await session.call("POST", "/v1/refunds", body), "paymentId") };
}

const REFERENCE = { clientReferenceId: "order-1042" };

/** Lets something happen whose last event is of the type. */
async function cause(session: ServiceSession, { type, optional }: EventParams): Promise<void> {
  const more = optional === "present" ? REFERENCE : {};
  const linked = optional === "present";
  const moved = async (to: string, body?: object): Promise<void> => {
    const { paymentId } = await payment(session, { status: "processing", more });
    await session.call("POST", `/sandbox/payments/${paymentId}/${to}`, body);
  };
  const refunded = async (status: PaymentParams["status"]): Promise<void> => {
    await refund(session, { ...(await payment(session, { status })), ...more });
  };
  const walk = async (steps: readonly string[], isLinked = linked): Promise<void> => {
    const id = await customer(session, { linked: isLinked });
    for (const step of steps) await session.call("POST", `/sandbox/customers/${id}/${step}`);
  };
  switch (type) {
    case "payment.created":
    case "payment.authorized":
      await payment(session, { status: "processing", more });
      return;
    case "payment.succeeded":
      return moved("settle");
    case "payment.failed":
      return moved("fail");
    case "payment.canceled":
      return moved("fail", { status: "CANCELED" });
    case "refund.pending":
      return refunded("processing");
    case "refund.authorized":
      return refunded("settled");
    case "refund.failed":
      return refunded("failed");
    case "customer.created":
      return walk([], false);
    case "customer.activated":
      return walk(["activate"]);
    case "customer.deactivated":
      return walk(["activate", "deactivate"]);
    case "account.linked":
      return walk([], true);
    case "account.updated":
      return walk(["link"], true);
    case "account.deactivated":
      return walk(["unlink"], true);
    default:
      return type satisfies never;
  }
}
