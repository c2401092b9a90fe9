import type { RunningSandbox } from "../../src/sandbox/sandbox.ts";
import { usd, type TestSandbox } from "./open-sandbox.ts";

/** The parts of Express's router that list its routes, which have no types. */
interface Layer {
  readonly route?: {
    readonly path: string;
    readonly stack: readonly { readonly method?: string }[];
  };
}

/** Every route of a running sandbox as `METHOD /path`, also those before the router. */
export function routesOf({ service }: RunningSandbox): string[] {
  const { stack } = service.app.router as unknown as { readonly stack: readonly Layer[] };
  const routed = stack.flatMap(({ route }) =>
    (route?.stack ?? []).flatMap(({ method }) =>
      // `undefined`: what answers every other method.
      method === undefined ? [] : [`${method.toUpperCase()} ${route?.path ?? ""}`],
    ),
  );
  return [...routed, "GET /sandbox/stream"].toSorted();
}

/** Ids of one namespace that has something of every kind, by the names in routes and bodies. */
export interface FullNamespace extends Readonly<Record<string, string>> {
  readonly token: string;
  readonly merchantId: string;
}

/** A namespace with a customer, a payment and its refund, a subscription and what is bound for it. */
export async function fullNamespace(one: TestSandbox): Promise<FullNamespace> {
  const made = await one.post("/sandbox/merchants");
  const token = String(made.body["accessToken"]);
  const post = async (path: string, json: object = {}) => (await one.post(path, json, token)).body;
  // Nothing listens there: its deliveries keep waiting.
  const subscriptionKey = await one.subscribe("http://127.0.0.1:9/", token);
  const customerId = String((await post("/sandbox/customers"))["id"]);
  await post(`/sandbox/customers/${customerId}/link`);
  const payment = await post("/sandbox/payments", { customerId, amount: usd(10) });
  const paymentId = String(payment["paymentId"]);
  const { body: refund } = await one.refund("of-the-other", paymentId, token);
  const [delivery] = await one.list("/sandbox/deliveries", token);
  return {
    token,
    merchantId: String(made.body["merchantId"]),
    customerId,
    paymentId,
    refundId: String(refund["paymentId"]),
    subscriptionKey,
    subscriptionId: subscriptionKey,
    deliveryId: String(delivery?.["deliveryId"]),
    eventId: String(delivery?.["eventId"]),
  };
}

const ROWS = [
  "SELECT * FROM clients WHERE merchant_id = $1 ORDER BY id",
  "SELECT * FROM tokens WHERE merchant_id = $1 ORDER BY hash",
  "SELECT * FROM customers WHERE merchant_id = $1 ORDER BY id",
  "SELECT * FROM accounts WHERE merchant_id = $1 ORDER BY id",
  "SELECT * FROM payments WHERE merchant_id = $1 ORDER BY id",
  "SELECT * FROM events WHERE merchant_id = $1 ORDER BY id",
  // Attempts go on: whether a delivery is there, and bound for whom, is what a call could change.
  "SELECT id, event_id, subscription_key FROM deliveries WHERE merchant_id = $1 ORDER BY id",
  "SELECT key, url, secret, selection, status FROM subscriptions WHERE merchant_id = $1 ORDER BY key",
  "SELECT clocks.* FROM clocks JOIN merchants ON merchants.clock_id = clocks.id WHERE merchants.id = $1",
];

/** Everything that a namespace has, row for row. */
export function rowsOf({ sandbox }: TestSandbox, merchantId: string): Promise<object[][]> {
  const { driver } = sandbox.service;
  return Promise.all(ROWS.map((sql) => driver.query(sql, [merchantId])));
}
