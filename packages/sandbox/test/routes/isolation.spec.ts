import { describe, expect, it } from "vitest";
import {
  openSandbox,
  refusal,
  SECRET,
  usd,
  type Answer,
  type TestSandbox,
} from "../open-sandbox.ts";
import { fullNamespace, rowsOf, type FullNamespace } from "./full-namespace.ts";
import { routesOf } from "./routes-of.ts";

/** A call by the path's and body's texts, in which `{name}` stands for that id of a namespace. */
interface IdCall {
  readonly path: string;
  readonly json?: object;
  readonly code: string;
}

const amount = usd(1);
const all = { subscriptionDetails: { type: "ALL" } };
const one = (code: string, path: string, json?: object): readonly IdCall[] => [
  { code, path, ...(json && { json }) },
];
const SUBSCRIPTION = "SUBSCRIPTION_NOT_FOUND";
const ofPayment = (move: string): IdCall[] => [
  { path: `/sandbox/payments/{paymentId}/${move}`, json: {}, code: "PAYMENT_NOT_FOUND" },
  { path: `/sandbox/payments/{refundId}/${move}`, json: {}, code: "PAYMENT_NOT_FOUND" },
];
const ofCustomer = (move: string): readonly IdCall[] =>
  one("CUSTOMER_NOT_FOUND", `/sandbox/customers/{customerId}/${move}`, {});
const ofSubscription = (move: string): readonly IdCall[] =>
  one(SUBSCRIPTION, `/sandbox/subscriptions/{subscriptionKey}/${move}`, {});

/**
 * Every route with every id that it takes. `list`: takes none, and tells of what is the caller's own.
 * `none`: takes and tells nothing of a merchant's.
 */
const table: Readonly<Record<string, readonly IdCall[] | "list" | "none">> = {
  "GET /healthz": "none",
  "GET /readyz": "none",
  "GET /metrics": "none",
  "GET /openapi.json": "none",
  "GET /asyncapi.json": "none",
  "POST /v1/tokens": "none",
  "POST /v1/refunds": ["paymentId", "refundId"].map((id) => ({
    path: "/v1/refunds",
    json: { paymentId: `{${id}}`, amount, requestKey: `of-${id}` },
    code: "PAYMENT_NOT_FOUND",
  })),
  "GET /v1/customers/:customerId": one("CUSTOMER_NOT_FOUND", "/v1/customers/{customerId}"),
  "POST /v1/webhook/subscribe": "none",
  "PUT /v1/webhook/unsubscribe": [
    ...one(SUBSCRIPTION, "/v1/webhook/unsubscribe", {
      subscriptionId: "{subscriptionKey}",
      ...all,
    }),
    ...one(SUBSCRIPTION, "/v1/webhook/unsubscribe?subscriptionId={subscriptionKey}", all),
  ],
  "PUT /v1/webhook/unsubscribe/:subscriptionId": one(
    SUBSCRIPTION,
    "/v1/webhook/unsubscribe/{subscriptionKey}",
    all,
  ),
  "GET /sandbox/merchants": "list",
  "POST /sandbox/merchants": "none",
  "GET /sandbox/customers": "list",
  "POST /sandbox/customers": "none",
  "POST /sandbox/customers/:customerId/link": ofCustomer("link"),
  "POST /sandbox/customers/:customerId/unlink": ofCustomer("unlink"),
  "POST /sandbox/customers/:customerId/activate": ofCustomer("activate"),
  "POST /sandbox/customers/:customerId/deactivate": ofCustomer("deactivate"),
  "GET /sandbox/payments": "list",
  "POST /sandbox/payments": one("CUSTOMER_NOT_FOUND", "/sandbox/payments", {
    customerId: "{customerId}",
    amount,
  }),
  "POST /sandbox/payments/:paymentId/authorize": ofPayment("authorize"),
  "POST /sandbox/payments/:paymentId/settle": ofPayment("settle"),
  "POST /sandbox/payments/:paymentId/fail": ofPayment("fail"),
  "POST /sandbox/payments/:paymentId/cover": ofPayment("cover"),
  "POST /sandbox/payments/:paymentId/return": ofPayment("return"),
  "GET /sandbox/clock": "none",
  "PUT /sandbox/clock": "none",
  "GET /sandbox/events": "list",
  "POST /sandbox/events": "none",
  "GET /sandbox/deliveries": "list",
  "POST /sandbox/deliveries/:deliveryId/replay": one(
    "DELIVERY_NOT_FOUND",
    "/sandbox/deliveries/{deliveryId}/replay",
    {},
  ),
  // Of the caller's own deliveries only; the body names none.
  "POST /sandbox/deliveries/replay": "none",
  "GET /sandbox/subscriptions": "list",
  "POST /sandbox/subscriptions/:subscriptionKey/replay": ofSubscription("replay"),
  "POST /sandbox/subscriptions/:subscriptionKey/resume": ofSubscription("resume"),
  "GET /sandbox/faults": "list",
  "PUT /sandbox/faults": "none",
  "POST /sandbox/reset": "none",
  // A reader hears of its own namespace alone: test/streams.spec.ts.
  "GET /sandbox/stream": "none",
};

interface Sending {
  readonly method: string;
  /** What stands for each name. */
  readonly id: (name: string) => string;
  /** Default: the first namespace's. */
  readonly token?: string;
}

function send(
  sandbox: TestSandbox,
  { path, json }: IdCall,
  { method, id, token }: Sending,
): Promise<Answer> {
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name: string) => id(name));
  return sandbox.call(method, fill(path), {
    ...(json !== undefined && { text: fill(JSON.stringify(json)) }),
    ...(token !== undefined && { token }),
  });
}

const idOf =
  (namespace: FullNamespace) =>
  (name: string): string =>
    String((namespace as unknown as Record<string, unknown>)[name]);

/** Every call with an id, and its method. */
const idCalls = Object.entries(table).flatMap(([route, calls]) =>
  typeof calls === "string"
    ? []
    : calls.map((call) => ({ method: route.split(" ")[0] ?? "", call })),
);

describe("T-32 B18 the records of another merchant", () => {
  it("are in this table with every route: a new one has to say which ids it takes", async () => {
    const { sandbox } = await openSandbox();
    expect(routesOf(sandbox)).toEqual(Object.keys(table).toSorted());
    for (const [route, calls] of Object.entries(table))
      expect([route, route.includes("/:") && typeof calls === "string"]).toEqual([route, false]);
  });

  it("are answered 404, word for word as unknown ids, by every id of every route", async () => {
    const sandbox = await openSandbox();
    const other = await fullNamespace(sandbox);
    const before = await rowsOf(sandbox, other.merchantId);
    for (const { method, call } of idCalls) {
      const foreign = await send(sandbox, call, { method, id: idOf(other) });
      const unknown = await send(sandbox, call, { method, id: () => "pay_unknown" });
      expect([call.path, refusal(foreign)]).toEqual([call.path, `404 ${call.code}`]);
      const { requestId: _, instance: __, ...told } = foreign.body;
      const { requestId: ___, instance: ____, ...toldOfUnknown } = unknown.body;
      expect([call.path, told]).toEqual([call.path, toldOfUnknown]);
    }
    expect(idCalls).toHaveLength(24);
    expect(await rowsOf(sandbox, other.merchantId)).toEqual(before);
  });

  it("are found by the same calls in their own namespace", async () => {
    const sandbox = await openSandbox();
    const own = await fullNamespace(sandbox);
    for (const { method, call } of idCalls) {
      const { path } = call;
      const answer = await send(sandbox, call, { method, id: idOf(own), token: own.token });
      // A refund is no debit: the calls that move one do not find it.
      const isDebitCall = path.includes("{refundId}") && !path.endsWith("/return");
      const isRefundCall = path.includes("{paymentId}") && path.endsWith("/return");
      expect([path, answer.status === 404]).toEqual([path, isDebitCall || isRefundCall]);
    }
  });

  it("are in no list, even if the query names their ids", async () => {
    const sandbox = await openSandbox();
    const other = await fullNamespace(sandbox);
    const { token, ...ids } = other;
    const json = { faults: [{ route: "POST /v1/refunds", kind: "reset" }] };
    await sandbox.call("PUT", "/sandbox/faults", { token, json });
    for (const [route, calls] of Object.entries(table)) {
      if (calls !== "list") continue;
      const { status, text } = await sandbox.call("GET", route.replace("GET ", ""));
      const found = Object.values(ids).filter((id) => text.includes(id));
      expect([route, status, found, text.includes("reset")]).toEqual([route, 200, [], false]);
    }
    const filters = `eventId=${other.eventId}&subscriptionKey=${other.subscriptionKey}`;
    expect(await sandbox.list(`/sandbox/deliveries?${filters}`)).toEqual([]);
  });

  it("are not changed by any call that takes no id", async () => {
    const sandbox = await openSandbox();
    const other = await fullNamespace(sandbox);
    const before = await rowsOf(sandbox, other.merchantId);
    const faults = [{ route: "POST /v1/refunds", kind: "reset" }];
    const subscription = { url: "https://merchant.example/", secretKey: SECRET, ...all };
    for (const [method, path, json] of [
      ["POST", "/v1/webhook/subscribe", subscription],
      ["POST", "/sandbox/merchants", {}],
      ["POST", "/sandbox/customers", {}],
      ["PUT", "/sandbox/clock", { advance: "P30D" }],
      ["POST", "/sandbox/events", { type: "payment.created" }],
      ["PUT", "/sandbox/faults", { faults }],
      ["POST", "/sandbox/reset", {}],
    ] as const) {
      const { status } = await sandbox.call(method, path, { json });
      expect([path, status < 300]).toEqual([path, true]);
      expect([path, await rowsOf(sandbox, other.merchantId)]).toEqual([path, before]);
    }
    expect(await sandbox.list("/sandbox/faults", other.token)).toEqual([]);
  });
});
