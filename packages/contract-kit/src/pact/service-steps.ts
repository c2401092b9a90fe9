import { text, type ServiceSession } from "./service-session.ts";
import type { EventParams, PaymentParams } from "./service-states.ts";

/** Where deliveries of an interaction are captured, and the secret that signs them. */
export interface Callback {
  readonly url: string;
  readonly secretKey: string;
}

/** Subscribes to everything. */
export async function subscribe({
  session,
  callback: { url, secretKey },
}: {
  readonly session: ServiceSession;
  readonly callback: Callback;
}): Promise<{ subscriptionKey: string }> {
  const order = { url, secretKey, subscriptionDetails: { type: "ALL" } };
  const made = await session.call("POST", "/v1/webhook/subscribe", order);
  return { subscriptionKey: text(made, "subscriptionKey") };
}

/** A customer, CREATED. */
export async function customer(
  session: ServiceSession,
  { linked }: { linked: boolean },
): Promise<string> {
  const id = text(await session.call("POST", "/sandbox/customers"), "id");
  if (linked) await session.call("POST", `/sandbox/customers/${id}/link`);
  return id;
}

/** More than three business days, whatever the holidays. */
const LONG = "P14D";

/** A debit of 80.00. */
export async function payment(
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

/** A refund, of 10.50 where nothing else is said. */
export async function refund(
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
export async function cause(
  session: ServiceSession,
  { type, optional }: EventParams,
): Promise<void> {
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
