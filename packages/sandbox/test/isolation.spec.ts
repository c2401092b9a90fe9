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

/** Routes that take no id and list the caller's own records. */
const lists = `merchants customers payments events deliveries subscriptions faults outcomes
  inspect/events inspect/payments inspect/endpoints inspect/due`
  .split(/\s+/)
  .map((name) => `GET /sandbox/${name}`);
/** Routes that take no id and show no merchant's records; the stream has its own tests. */
const others = `GET /healthz, GET /readyz, GET /metrics, GET /openapi.json, GET /asyncapi.json,
  GET /reader/openapi.json, GET /reader/asyncapi.json,
  POST /v1/tokens, POST /v1/webhook/subscribe, POST /sandbox/merchants, POST /sandbox/customers,
  GET /sandbox/clock, PUT /sandbox/clock, POST /sandbox/events, POST /sandbox/deliveries/replay,
  PUT /sandbox/faults, POST /sandbox/reset, POST /sandbox/states, POST /sandbox/messages,
  GET /sandbox/stream, GET /sandbox/inspect, GET /sandbox/inspect/checks,
  GET /sandbox/inspect/progress, GET /sandbox/inspect/search, POST /sandbox/inspect/checks,
  POST /sandbox/inspect/checks/stop, POST /sandbox/inspect/endpoints, POST /sandbox/inspect/outage,
  POST /sandbox/inspect/resend, POST /sandbox/inspect/reset, POST /sandbox/outcomes`.split(/,\s+/);

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
  it("are behind routes that take an id in the path, in the body, or none: a new one has to be listed", async () => {
    const { sandbox } = await open();
    const inBody = bodyCalls.map(([route]) => route.replace(/[?].*/, ""));
    const unnamed = routesOf(sandbox).filter((route) => !route.includes("/:"));
    const listed = new Set<string>([...lists, ...others, ...inBody]);
    expect(unnamed.toSorted()).toEqual([...listed].toSorted());
  });

  it("are answered 404, word for word as unknown ids, by every id of every route, and found in their own namespace", async () => {
    const one = await open();
    const other = await fullNamespace(one);
    // Answers once its delivery has been attempted.
    await one.move({ advance: "PT0S" }, other.token);
    const before = await rowsOf(one, other.merchantId);
    const idOf = (name: string) => other[name] ?? "";
    const idCalls = idCallsOf(one);
    expect(idCalls).toHaveLength(32);
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
      const isShown = route.startsWith("GET /sandbox/inspect/");
      expect([call, status === 404]).toEqual([call, !isShown && route.includes(wrong)]);
    }
  });

  it("are in no list, even if the query names their ids", async () => {
    const one = await open();
    const { token, ...ids } = await fullNamespace(one);
    const json = { faults: [{ route: "POST /v1/refunds", kind: "reset" }] };
    await one.call("PUT", "/sandbox/faults", { token, json });
    const outcome = { outcome: "handled", eventId: ids["eventId"] };
    expect((await one.post("/sandbox/outcomes", outcome, token)).status).toBeLessThan(300);
    for (const route of lists) {
      const { status, text } = await one.call("GET", route.replace("GET ", ""));
      const found = Object.values(ids).filter((id) => text.includes(id));
      expect([route, status, found, text.includes("reset")]).toEqual([route, 200, [], false]);
    }
    const filters = `eventId=${ids["eventId"]}&subscriptionKey=${ids["subscriptionKey"]}`;
    expect(await one.list(`/sandbox/deliveries?${filters}`)).toEqual([]);
    const search = await one.call("GET", `/sandbox/inspect/search?q=${ids["eventId"]}`);
    expect(search.body).toEqual({ hits: [] });
    const resent = await one.post("/sandbox/inspect/resend", { deliveryIds: [ids["deliveryId"]] });
    expect(resent.body).toEqual({ count: 0 });
  });

  it("are not changed by any call that takes no id", async () => {
    const one = await open();
    const other = await fullNamespace(one);
    const before = await rowsOf(one, other.merchantId);
    for (const [route, json] of [
      [
        "POST /v1/webhook/subscribe",
        { url: "https://merchant.example/", secretKey: SECRET, ...all },
      ],
      ["POST /sandbox/merchants", {}],
      ["POST /sandbox/customers", {}],
      ["PUT /sandbox/clock", { advance: "P30D" }],
      ["POST /sandbox/events", { type: "payment.created" }],
      ["PUT /sandbox/faults", { faults: [{ route: "POST /v1/refunds", kind: "reset" }] }],
      ["POST /sandbox/reset", {}],
      ["POST /sandbox/inspect/reset", { what: "everything" }],
    ] as const) {
      const { status } = await send(one, [route, json], String);
      expect([route, status < 300]).toEqual([route, true]);
      expect([route, await rowsOf(one, other.merchantId)]).toEqual([route, before]);
    }
    expect(await one.list("/sandbox/faults", other.token)).toEqual([]);
  });
});
