import type { Api } from "../../packages/dev/src/api.ts";

async function linkedCustomer(api: Api): Promise<string> {
  const person = { firstName: "Ada", lastName: "Byron", email: "ada@example.com" };
  const { id } = (await api("POST", "/sandbox/customers", person)).body as { id: string };
  await api("POST", `/sandbox/customers/${id}/link`, {});
  return id;
}

/** Makes a payment by a new customer, and moves it. */
export async function payment(api: Api, move?: "settle" | "fail", value = 25): Promise<string> {
  const amount = { currency: "USD", value };
  const customerId = await linkedCustomer(api);
  const { body } = await api("POST", "/sandbox/payments", { customerId, amount });
  const { paymentId } = body as { paymentId: string };
  if (move !== undefined) await api("POST", `/sandbox/payments/${paymentId}/${move}`, {});
  return paymentId;
}
