import { describe, expect, it } from "vitest";
import { refusal, SECRET, shareSandbox, TOKEN, usd, type TestSandbox } from "./open-sandbox.ts";
import { fullNamespace, routesOf, rowsOf } from "./routes.ts";

// With the calls of the page.
const open = shareSandbox({ inspector: { token: TOKEN, key: "key-of-this-run" } });

/** A call in which `{name}` is replaced by that id of a namespace. */
type IdCall = readonly [route: string, json: object];

const amount = usd(1);
const all = { subscriptionDetails: { type: "ALL" } };
const codes: Readonly<Record<string, string>> = {
  customerId: "CUSTOMER_NOT_FOUND",
  paymentId: "PAYMENT_NOT_FOUND",
  refundId: "PAYMENT_NOT_FOUND",
  deliveryId: "DELIVERY_NOT_FOUND",
  eventId: "NOT_FOUND",
  subscriptionKey: "SUBSCRIPTION_NOT_FOUND",
  subscriptionId: "SUBSCRIPTION_NOT_FOUND",
};
/** Ids in bodies and queries. */
const bodyCalls: readonly IdCall[] = [
  ["POST /v1/refunds", { paymentId: "{paymentId}", amount, requestKey: "of-paymentId" }],
  ["POST /v1/refunds", { paymentId: "{refundId}", amount, requestKey: "of-refundId" }],
  ["POST /sandbox/payments", { customerId: "{customerId}", amount }],
  ["PUT /v1/webhook/unsubscribe", { subscriptionId: "{subscriptionId}", ...all }],
  ["PUT /v1/webhook/unsubscribe?subscriptionId={subscriptionId}", all],
  ["POST /sandbox/inspect/signatures", { deliveryId: "{deliveryId}", attempt: 1 }],
  ["POST /sandbox/inspect/signatures/now", { deliveryId: "{deliveryId}" }],
];

/** The calls of a route that names an id in its path; a payment's routes get a refund's id too. */
const pathCalls = (route: string): readonly IdCall[] => {
  const [place = "", id] = /:(\w+)/.exec(route) ?? [];
  if (id === undefined) return [];
  const names = id === "paymentId" ? [id, "refundId"] : [id];
  const json = route.includes("unsubscribe") ? all : {};
  return names.map((name) => [route.replace(place, `{${name}}`), json]);
};
const idCallsOf = ({ sandbox }: TestSandbox): readonly IdCall[] => [
  ...routesOf(sandbox).flatMap(pathCalls),
  ...bodyCalls,
];

/** Bodies with which calls that take no id do something. */
const bodies: Readonly<Record<string, object>> = {
  "POST /v1/webhook/subscribe": { url: "https://merchant.example/", secretKey: SECRET, ...all },
  "POST /sandbox/merchants": {},
  "POST /sandbox/customers": {},
  "PUT /sandbox/clock": { advance: "P30D" },
  "POST /sandbox/events": { type: "payment.created" },
  "PUT /sandbox/faults": { faults: [{ route: "POST /v1/refunds", kind: "reset" }] },
  "POST /sandbox/inspect/resend": { query: "q={deliveryId}" },
  "POST /sandbox/reset": {},
};

function send(
  one: TestSandbox,
  [route, json]: IdCall,
  idOf: (name: string) => string,
  as?: string,
) {
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => idOf(name));
  const [method = "", path = ""] = fill(route).split(" ");
  const token = as === undefined ? {} : { token: as };
  const text = method === "GET" ? {} : { text: fill(JSON.stringify(json)) };
  return one.call(method, path, { ...token, ...text });
}

describe("T-32 B18 the records of another merchant", () => {
  it("are answered 404, word for word as unknown ids, by every id of every route, and found in their own namespace", async () => {
    const one = await open();
    const other = await fullNamespace(one);
    // Answers once its delivery has been attempted.
    await one.move({ advance: "PT0S" }, other.token);
    const before = await rowsOf(one, other.merchantId);
    const idOf = (name: string) => other[name] ?? "";
    const idCalls = idCallsOf(one);
    expect(idCalls).toHaveLength(29);
    for (const call of idCalls) {
      const foreign = await send(one, call, idOf);
      const unknown = await send(one, call, () => "pay_unknown");
      const [, name = ""] = /\{(\w+)\}/.exec(JSON.stringify(call)) ?? [];
      expect([call, refusal(foreign)]).toEqual([call, `404 ${codes[name]}`]);
      const own = { requestId: "", instance: "" };
      expect([call, { ...foreign.body, ...own }]).toEqual([call, { ...unknown.body, ...own }]);
    }
    expect(await rowsOf(one, other.merchantId)).toEqual(before);
    for (const call of idCalls) {
      const { status } = await send(one, call, idOf, other.token);
      // A refund is not a debit: the calls that change debits do not find it. The page shows both.
      const [route] = call;
      const wrong = route.endsWith("/return") ? "{paymentId}" : "{refundId}";
      const isShown = route.startsWith("GET /sandbox/payments/");
      expect([call, status === 404]).toEqual([call, !isShown && route.includes(wrong)]);
    }
  });

  it("are neither shown nor changed by any call that takes no id, even if its query names their ids", async () => {
    const one = await open();
    const { token, ...ids } = await fullNamespace(one);
    const faults = [{ route: "POST /v1/refunds", kind: "delay", delayMs: 1 }];
    await one.call("PUT", "/sandbox/faults", { token, json: { faults } });
    const before = await rowsOf(one, ids.merchantId);
    const { eventId, subscriptionKey } = ids;
    const named = `?q=${eventId}&eventId=${eventId}&subscriptionKey=${subscriptionKey}`;
    const unnamed = routesOf(one.sandbox).filter((route) => !route.includes("/:"));
    // The stream does not end; its own tests read it.
    for (const route of unnamed.filter((each) => !each.endsWith("/stream")))
      for (const query of ["", named]) {
        const call = [route + query, bodies[route] ?? {}] as const;
        const { status, text } = await send(one, call, (name) => ids[name] ?? "");
        if (route in bodies) expect([call, status < 300]).toEqual([call, true]);
        const found = Object.values(ids).filter((id) => text.includes(id));
        expect([call, found, text.includes("delayMs")]).toEqual([call, [], false]);
        expect([call, await rowsOf(one, ids.merchantId)]).toEqual([call, before]);
      }
    expect(await one.list("/sandbox/faults", token)).toMatchObject(faults);
    for (const id of Object.values(ids))
      expect(await one.list(`/sandbox/inspect/search?q=${id}`)).toEqual([]);
  });
});
