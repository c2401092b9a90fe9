import type { OpenInspector } from "./open-inspector.ts";

/** Sample data with deliveries in every state, for the tasks, pictures and accessibility checks of the page. */
export interface Scene {
  /** Events: one whose handler fails, and one that a fault has delayed. */
  readonly failing: string;
  readonly delayed: string;
  readonly refund: string;
  readonly payment: string;
  readonly endpoint: string;
}

/** Makes an endpoint that accepts, refuses and fails, a refund that waits, and an event that is delivered after a fault. */
export async function makeScene({ api, receiver }: OpenInspector): Promise<Scene> {
  // The clock answers when everything that is due has been attempted.
  const attempt = (advance: string) => api("PUT", "/sandbox/clock", { advance });
  const send = async (type: string): Promise<string> => {
    const { body } = await api("POST", "/sandbox/events", { type });
    await attempt("PT0S");
    // The sandbox's own answer.
    return (body as { id: string }).id;
  };
  const all = { subscriptionDetails: { type: "ALL" } };
  const made = await api("POST", "/sandbox/inspect/endpoints", all);
  const { subscriptionKey: endpoint } = made.body as { subscriptionKey: string };
  const fault = { route: "attempt", kind: "status", status: 500, times: 1 };
  await api("PUT", "/sandbox/faults", { faults: [fault] });
  const delayed = await send("payment.succeeded");
  await attempt("PT10S");
  for (const type of ["customer.activated", "account.linked", "payment.created"]) await send(type);

  let isFirst = true;
  receiver.statusOf = (body) => {
    if (body.includes("customer.created")) return 401;
    if (body.includes("refund.pending")) return 503;
    return body.includes("payment.failed") ? (isFirst ? 500 : 503) : 204;
  };
  await send("customer.created");
  const failing = await send("payment.failed");
  const { body } = await api("GET", "/sandbox/payments");
  const { payments } = body as { payments: { paymentId: string; amount: { value: number } }[] };
  const payment = payments.find(({ amount }) => amount.value === 250)?.paymentId ?? "";
  const order = `{"paymentId":"${payment}","amount":{"currency":"USD","value":10.50},"requestKey":"order-7"}`;
  const asked = await api("POST", "/v1/refunds", order);
  const { paymentId: refund } = asked.body as { paymentId: string };
  isFirst = false;
  await attempt("PT10S");
  await api("POST", "/sandbox/outcomes", {
    outcome: "failed",
    eventId: failing,
    code: "CS_HANDLER_FAILED",
    message: "TypeError: Cannot read properties of undefined (reading 'ledger')",
    durationMs: 12,
  });
  return { failing, delayed, refund, payment, endpoint };
}
