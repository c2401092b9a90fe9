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

/** A call in whose path and body `{name}` stands for that id of a namespace. */
interface IdCall {
  readonly method: string;
  readonly path: string;
  readonly json?: object;
  readonly code: string;
}

const amount = usd(1);
const all = { subscriptionDetails: { type: "ALL" } };
const codes: Readonly<Record<string, string>> = {
  customerId: "CUSTOMER_NOT_FOUND",
  paymentId: "PAYMENT_NOT_FOUND",
  refundId: "PAYMENT_NOT_FOUND",
  deliveryId: "DELIVERY_NOT_FOUND",
  subscriptionKey: "SUBSCRIPTION_NOT_FOUND",
  subscriptionId: "SUBSCRIPTION_NOT_FOUND",
};
const ofBody = (id: string, [method, path]: readonly [string, string], json: object): IdCall => {
  return { method, path, json, code: codes[id] ?? "" };
};
const UNSUBSCRIBE = "/v1/webhook/unsubscribe";
/** Ids that stand in bodies and queries. */
const bodyCalls: readonly IdCall[] = [
  ...["paymentId", "refundId"].map((id) => {
    const json = { paymentId: `{${id}}`, amount, requestKey: `of-${id}` };
    return ofBody(id, ["POST", "/v1/refunds"], json);
  }),
  ofBody("customerId", ["POST", "/sandbox/payments"], { customerId: "{customerId}", amount }),
  ofBody("subscriptionId", ["PUT", UNSUBSCRIBE], { subscriptionId: "{subscriptionId}", ...all }),
  ofBody("subscriptionId", ["PUT", `${UNSUBSCRIBE}?subscriptionId={subscriptionId}`], all),
];

/** The calls of a route that names an id in its path; a payment's routes get a refund's id too. */
const pathCalls = (route: string): readonly IdCall[] => {
  const [method = "", path = ""] = route.split(" ");
  const [, id] = /:(\w+)/.exec(path) ?? [];
  if (id === undefined) return [];
  const json = route.includes("unsubscribe") ? all : {};
  return (id === "paymentId" ? ["paymentId", "refundId"] : [id]).map((name) => ({
    method,
    path: path.replace(`:${id}`, `{${name}}`),
    ...(method !== "GET" && { json }),
    code: codes[name] ?? "",
  }));
};

/** Routes that take no id and list the caller's own records. */
const lists = "merchants customers payments events deliveries subscriptions faults"
  .split(" ")
  .map((name) => `GET /sandbox/${name}`);
/** Routes that take no id and show no merchant's records; the stream has its own tests. */
const others = `GET /healthz, GET /readyz, GET /metrics, GET /openapi.json, GET /asyncapi.json,
  POST /v1/tokens, POST /v1/webhook/subscribe, POST /sandbox/merchants, POST /sandbox/customers,
  GET /sandbox/clock, PUT /sandbox/clock, POST /sandbox/events, POST /sandbox/deliveries/replay,
  PUT /sandbox/faults, POST /sandbox/reset, GET /sandbox/stream`.split(/,\s+/);

/** Every call with an id. */
const idCallsOf = (sandbox: TestSandbox): readonly IdCall[] => [
  ...routesOf(sandbox.sandbox).flatMap(pathCalls),
  ...bodyCalls,
];

interface Sending {
  /** Returns the id that stands for a name. */
  readonly id: (name: string) => string;
  /** Default: the first namespace's. */
  readonly token?: string;
}

function send(
  sandbox: TestSandbox,
  { method, path, json }: IdCall,
  { id, token }: Sending,
): Promise<Answer> {
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name: string) => id(name));
  return sandbox.call(method, fill(path), {
    ...(json !== undefined && { text: fill(JSON.stringify(json)) }),
    ...(token !== undefined && { token }),
  });
}

const idOf =
  ({ subscriptionKey: subscriptionId, ...ids }: FullNamespace) =>
  (name: string): string =>
    String({ ...ids, subscriptionId, subscriptionKey: subscriptionId }[name]);

describe("T-32 B18 the records of another merchant", () => {
  it("are behind routes that take an id in the path, in the body, or none: a new one has to be listed", async () => {
    const { sandbox } = await openSandbox();
    const inBody = bodyCalls.map(({ method, path }) => `${method} ${path.split("?")[0]}`);
    const listed = new Set([...lists, ...others, ...inBody]);
    const unnamed = routesOf(sandbox).filter((route) => !route.includes("/:"));
    expect(unnamed.toSorted()).toEqual([...listed].toSorted());
  });

  it("are answered 404, word for word as unknown ids, by every id of every route", async () => {
    const sandbox = await openSandbox();
    const other = await fullNamespace(sandbox);
    const before = await rowsOf(sandbox, other.merchantId);
    const idCalls = idCallsOf(sandbox);
    for (const call of idCalls) {
      const foreign = await send(sandbox, call, { id: idOf(other) });
      const unknown = await send(sandbox, call, { id: () => "pay_unknown" });
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
    for (const call of idCallsOf(sandbox)) {
      const { path } = call;
      const answer = await send(sandbox, call, { id: idOf(own), token: own.token });
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
    for (const route of lists) {
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
