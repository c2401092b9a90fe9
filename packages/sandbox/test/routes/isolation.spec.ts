import { describe, expect, it } from "vitest";
import { openSandbox, refusal, type Answer, type TestSandbox } from "../open-sandbox.ts";
import { fullNamespace, rowsOf, type FullNamespace } from "./full-namespace.ts";
import { routesOf } from "./routes-of.ts";

/** A call by the path's and body's texts, in which `{name}` stands for that id of a namespace. */
interface IdCall {
  readonly path: string;
  readonly json?: object;
  readonly code: string;
}

const amount = { currency: "USD", value: 1 };
const all = { subscriptionDetails: { type: "ALL" } };
const ofPayment = (move: string): IdCall[] => [
  { path: `/sandbox/payments/{paymentId}/${move}`, json: {}, code: "PAYMENT_NOT_FOUND" },
  { path: `/sandbox/payments/{refundId}/${move}`, json: {}, code: "PAYMENT_NOT_FOUND" },
];
const ofCustomer = (move: string): IdCall[] => [
  { path: `/sandbox/customers/{customerId}/${move}`, json: {}, code: "CUSTOMER_NOT_FOUND" },
];

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
  "GET /v1/customers/:customerId": [
    { path: "/v1/customers/{customerId}", code: "CUSTOMER_NOT_FOUND" },
  ],
  "POST /v1/webhook/subscribe": "none",
  "PUT /v1/webhook/unsubscribe": [
    {
      path: "/v1/webhook/unsubscribe",
      json: { subscriptionId: "{subscriptionKey}", ...all },
      code: "SUBSCRIPTION_NOT_FOUND",
    },
    {
      path: "/v1/webhook/unsubscribe?subscriptionId={subscriptionKey}",
      json: all,
      code: "SUBSCRIPTION_NOT_FOUND",
    },
  ],
  "PUT /v1/webhook/unsubscribe/:subscriptionId": [
    {
      path: "/v1/webhook/unsubscribe/{subscriptionKey}",
      json: all,
      code: "SUBSCRIPTION_NOT_FOUND",
    },
  ],
  "GET /sandbox/merchants": "list",
  "POST /sandbox/merchants": "none",
  "GET /sandbox/customers": "list",
  "POST /sandbox/customers": "none",
  "POST /sandbox/customers/:customerId/link": ofCustomer("link"),
  "POST /sandbox/customers/:customerId/unlink": ofCustomer("unlink"),
  "POST /sandbox/customers/:customerId/activate": ofCustomer("activate"),
  "POST /sandbox/customers/:customerId/deactivate": ofCustomer("deactivate"),
  "GET /sandbox/payments": "list",
  "POST /sandbox/payments": [
    {
      path: "/sandbox/payments",
      json: { customerId: "{customerId}", amount },
      code: "CUSTOMER_NOT_FOUND",
    },
  ],
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
  "POST /sandbox/deliveries/:deliveryId/replay": [
    { path: "/sandbox/deliveries/{deliveryId}/replay", json: {}, code: "DELIVERY_NOT_FOUND" },
  ],
  // Of the caller's own alone; the body names none.
  "POST /sandbox/deliveries/replay": "none",
  "GET /sandbox/subscriptions": "list",
  "POST /sandbox/subscriptions/:subscriptionKey/replay": [
    {
      path: "/sandbox/subscriptions/{subscriptionKey}/replay",
      json: {},
      code: "SUBSCRIPTION_NOT_FOUND",
    },
  ],
  "POST /sandbox/subscriptions/:subscriptionKey/resume": [
    {
      path: "/sandbox/subscriptions/{subscriptionKey}/resume",
      json: {},
      code: "SUBSCRIPTION_NOT_FOUND",
    },
  ],
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
  one: TestSandbox,
  { path, json }: IdCall,
  { method, id, token }: Sending,
): Promise<Answer> {
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name: string) => id(name));
  return one.call(method, fill(path), {
    ...(json !== undefined && { text: fill(JSON.stringify(json)) }),
    ...(token !== undefined && { token }),
  });
}

const idOf =
  (namespace: FullNamespace) =>
  (name: string): string =>
    String((namespace as unknown as Record<string, unknown>)[name]);

describe("T-32 B18 what is another merchant's", () => {
  it("is in the table with every route: a new one has to say which ids it takes", async () => {
    const one = await openSandbox();
    expect(routesOf(one.sandbox)).toEqual(Object.keys(table).toSorted());
    for (const [route, calls] of Object.entries(table)) {
      const takesId = route.includes("/:");
      expect([route, takesId && typeof calls === "string"]).toEqual([route, false]);
    }
  });

  it("is 404, word for word as what does not exist, by every id of every route", async () => {
    const one = await openSandbox();
    const other = await fullNamespace(one);
    const before = await rowsOf(one, other.merchantId);
    let tried = 0;
    for (const [route, calls] of Object.entries(table)) {
      if (typeof calls === "string") continue;
      const [method = ""] = route.split(" ");
      for (const call of calls) {
        const foreign = await send(one, call, { method, id: idOf(other) });
        const unknown = await send(one, call, { method, id: () => "pay_unknown" });
        expect([route, refusal(foreign)]).toEqual([route, { status: 404, code: call.code }]);
        const { requestId: _, instance: __, ...told } = foreign.body;
        const { requestId: ___, instance: ____, ...toldOfUnknown } = unknown.body;
        expect([route, told]).toEqual([route, toldOfUnknown]);
        tried += 1;
      }
    }
    expect(tried).toBe(24);
    expect(await rowsOf(one, other.merchantId)).toEqual(before);
  });

  it("is what the very same calls find in its own namespace", async () => {
    const one = await openSandbox();
    const own = await fullNamespace(one);
    for (const [route, calls] of Object.entries(table)) {
      if (typeof calls === "string") continue;
      const [method = ""] = route.split(" ");
      for (const call of calls) {
        const { path } = call;
        const answer = await send(one, call, { method, id: idOf(own), token: own.token });
        // A refund is no debit: the calls that move one do not find it.
        const isDebitCall = path.includes("{refundId}") && !path.endsWith("/return");
        const isRefundCall = path.includes("{paymentId}") && path.endsWith("/return");
        expect([route, path, answer.status === 404]).toEqual([
          route,
          path,
          isDebitCall || isRefundCall,
        ]);
      }
    }
  });

  it("is in no list, also where the query names its ids", async () => {
    const one = await openSandbox();
    const other = await fullNamespace(one);
    await one.call("PUT", "/sandbox/faults", {
      token: other.token,
      json: { faults: [{ route: "POST /v1/refunds", kind: "reset" }] },
    });
    const { token: _, ...ids } = other;
    const filters = `?eventId=${other.eventId}&subscriptionKey=${other.subscriptionKey}`;
    for (const [route, calls] of Object.entries(table)) {
      if (calls !== "list") continue;
      const path = route.replace("GET ", "");
      const { status, text } = await one.call("GET", path);
      const found = Object.values(ids).filter((id) => text.includes(id));
      expect([path, status, found, text.includes("reset")]).toEqual([path, 200, [], false]);
    }
    const { body } = await one.call("GET", `/sandbox/deliveries${filters}`);
    expect(body).toEqual({ deliveries: [] });
  });

  it("is left as it is by every call that takes no id", async () => {
    const one = await openSandbox();
    const other = await fullNamespace(one);
    const before = await rowsOf(one, other.merchantId);
    const calls: readonly (readonly [method: string, path: string, json: object])[] = [
      [
        "POST",
        "/v1/webhook/subscribe",
        {
          url: "https://merchant.example/",
          secretKey: "a-secret-of-24-characters-or-more",
          ...all,
        },
      ],
      ["POST", "/sandbox/merchants", {}],
      ["POST", "/sandbox/customers", {}],
      ["PUT", "/sandbox/clock", { advance: "P30D" }],
      ["POST", "/sandbox/events", { type: "payment.created" }],
      ["PUT", "/sandbox/faults", { faults: [{ route: "POST /v1/refunds", kind: "reset" }] }],
      ["POST", "/sandbox/reset", {}],
    ];
    for (const [method, path, json] of calls) {
      const { status } = await one.call(method, path, { json });
      expect([path, status < 300]).toEqual([path, true]);
      expect([path, await rowsOf(one, other.merchantId)]).toEqual([path, before]);
    }
    const { body } = await one.call("GET", "/sandbox/faults", { token: other.token });
    expect(body).toEqual({ faults: [] });
  });
});
