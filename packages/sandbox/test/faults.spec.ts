import { describe, expect, it } from "vitest";
import { openSandbox, refusal, type CallOptions, type TestSandbox } from "./open-sandbox.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const GRANT = "grant_type=client_credentials";

const put = (one: TestSandbox, ...faults: object[]) =>
  one.call("PUT", "/sandbox/faults", { json: { faults } });
const refund = (one: TestSandbox, requestKey: string, token?: string) =>
  one.call("POST", "/v1/refunds", {
    ...(token !== undefined && { token }),
    json: {
      paymentId: one.opened.seeded?.payments.settled,
      amount: { currency: "USD", value: 1 },
      requestKey,
    },
  });
const refunds = async (one: TestSandbox) =>
  (await one.list("/sandbox/payments")).filter(({ direction }) => direction === "CREDIT").length;

describe("a fault", () => {
  it("of kind status answers instead of the service, as often as it says", async () => {
    const one = await openSandbox();
    const fault = {
      route: "POST /v1/refunds",
      kind: "status",
      status: 503,
      retryAfterSeconds: 7,
      times: 2,
    };
    expect(await put(one, fault)).toMatchObject({ status: 200, body: { faults: [fault] } });
    for (const left of [1, 0]) {
      const answer = await refund(one, "key-1");
      expect(refusal(answer)).toEqual({ status: 503, code: "INJECTED_FAULT" });
      expect(answer.headers["retry-after"]).toBe("7");
      expect((await one.call("GET", "/sandbox/faults")).body).toEqual({
        faults: left === 0 ? [] : [{ ...fault, times: left }],
      });
    }
    expect(await refunds(one)).toBe(0);
    expect((await refund(one, "key-1")).status).toBe(201);
  });

  it("of kind lost commits and loses the answer: the key is used up", async () => {
    const one = await openSandbox();
    await put(one, { route: "POST /v1/refunds", kind: "lost" });
    await expect(refund(one, "key-1")).rejects.toThrow(/socket hang up|ECONNRESET/);
    expect(await refunds(one)).toBe(1);
    expect(await refund(one, "key-1")).toMatchObject({
      status: 409,
      body: { existing: { sameRequest: true } },
    });
  });

  it("of kind reset does nothing and resets the connection", async () => {
    const one = await openSandbox();
    await put(one, { route: "POST /v1/refunds", kind: "reset" });
    await expect(refund(one, "key-1")).rejects.toThrow(/socket hang up|ECONNRESET/);
    expect(await refunds(one)).toBe(0);
    expect((await refund(one, "key-1")).status).toBe(201);
  });

  it("of kind delay answers later", async () => {
    const one = await openSandbox();
    await put(one, { route: "GET /v1/customers", kind: "delay", delayMs: 200 });
    const path = `/v1/customers/${one.opened.seeded?.customers.active}`;
    const started = performance.now();
    expect((await one.call("GET", path)).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(199);
  });

  it("happens to its own route and its own namespace alone", async () => {
    const one = await openSandbox();
    const token = await one.addNamespace();
    await put(one, { route: "PUT /v1/webhook/unsubscribe", kind: "status", status: 500 });
    expect((await refund(one, "key-1")).status).toBe(201);
    const json = { subscriptionId: "sub_none", subscriptionDetails: { type: "ALL" } };
    const unsubscribe = (sent: object) =>
      one.call("PUT", "/v1/webhook/unsubscribe", { json, ...sent });
    expect(refusal(await unsubscribe({ token }))).toEqual({
      status: 404,
      code: "SUBSCRIPTION_NOT_FOUND",
    });
    expect((await unsubscribe({ token: null })).status).toBe(401);
    expect(refusal(await unsubscribe({}))).toEqual({ status: 500, code: "INJECTED_FAULT" });
  });

  it("of several on one route happens in their order, and a reset ends them", async () => {
    const one = await openSandbox();
    const route = "POST /v1/refunds";
    await put(
      one,
      { route, kind: "status", status: 500 },
      { route, kind: "status", status: 502 },
      { route, kind: "reset" },
    );
    expect((await refund(one, "key-1")).status).toBe(500);
    expect((await refund(one, "key-1")).status).toBe(502);
    await one.call("POST", "/sandbox/reset");
    expect((await one.call("GET", "/sandbox/faults")).body).toEqual({ faults: [] });
  });

  it("on POST /v1/tokens happens to the namespace's client, however it says who it is", async () => {
    const one = await openSandbox();
    const own = one.opened.seeded;
    const id = own?.clientId ?? "";
    const secret = own?.clientSecret ?? "";
    const ways: [string, CallOptions][] = [
      [
        "Basic",
        { headers: { ...FORM, authorization: `Basic ${btoa(`${id}:${secret}`)}` }, text: GRANT },
      ],
      ["form", { headers: FORM, text: `${GRANT}&client_id=${id}&client_secret=${secret}` }],
      [
        "chunked form",
        {
          headers: { ...FORM, "transfer-encoding": "chunked" },
          text: `${GRANT}&client_id=${id}&client_secret=${secret}`,
        },
      ],
      [
        "JSON",
        { json: { grant_type: "client_credentials", client_id: id, client_secret: secret } },
      ],
    ];
    const tokens = () => one.sandbox.service.driver.query("SELECT hash FROM tokens");
    for (const [way, sent] of ways) {
      const call = () => one.call("POST", "/v1/tokens", { ...sent, token: null });
      await put(one, { route: "POST /v1/tokens", kind: "status", status: 503 });
      const before = await tokens();
      expect([way, refusal(await call())]).toEqual([way, { status: 503, code: "INJECTED_FAULT" }]);
      expect(await tokens()).toEqual(before);
      // The body that was looked into is there for the service.
      expect([way, (await call()).status]).toEqual([way, 200]);
      await put(one, { route: "POST /v1/tokens", kind: "lost" });
      await expect(call()).rejects.toThrow(/socket hang up|ECONNRESET/);
      expect(await tokens()).toHaveLength(before.length + 2);
    }
  });

  it("on POST /v1/tokens leaves other clients and calls that name none alone", async () => {
    const one = await openSandbox();
    const { body } = await one.call("POST", "/sandbox/merchants");
    await put(one, { route: "POST /v1/tokens", kind: "reset" });
    const call = (text: string, headers: object = FORM) =>
      one.call("POST", "/v1/tokens", { token: null, text, headers: { ...headers } });
    const other = `client_id=${String(body["clientId"])}&client_secret=${String(body["clientSecret"])}`;
    expect((await call(`${GRANT}&${other}`)).status).toBe(200);
    expect((await call(GRANT)).status).toBe(401);
    expect((await call("")).status).toBe(400);
    expect((await call("", { ...FORM, "transfer-encoding": "chunked" })).status).toBe(400);
    expect((await call("{", { "content-type": "application/json" })).status).toBe(400);
    expect((await call("x".repeat(65_537))).status).toBe(413);
    const long = { ...FORM, "transfer-encoding": "chunked" };
    expect((await call("x".repeat(200_000), long)).status).toBe(413);
    expect((await call("client_id", { "content-type": "text/plain" })).status).toBe(415);
    expect((await one.call("GET", "/v1/tokens")).status).toBe(405);
    expect((await one.call("GET", "/sandbox/faults")).body).toMatchObject({
      faults: [{ times: 1 }],
    });
  });

  it.each([
    [{ kind: "reset" }, { "/faults/0/route": "MISSING_MEMBER" }],
    [{ route: "GET /", kind: "reset" }, { "/faults/0/route": "INVALID_VALUE" }],
    [{ route: "POST /v1/refunds", kind: "status" }, { "/faults/0/status": "INVALID_VALUE" }],
    [
      { route: "POST /v1/refunds", kind: "status", status: 200 },
      { "/faults/0/status": "INVALID_VALUE" },
    ],
    [
      { route: "POST /v1/refunds", kind: "reset", status: 500 },
      { "/faults/0/status": "INVALID_VALUE" },
    ],
    [{ route: "POST /v1/refunds", kind: "delay" }, { "/faults/0/delayMs": "INVALID_VALUE" }],
    [{ route: "POST /v1/refunds", kind: "lost", times: 0 }, { "/faults/0/times": "INVALID_VALUE" }],
    [
      { route: "POST /v1/refunds", kind: "lost", retryAfterSeconds: 1 },
      { "/faults/0/retryAfterSeconds": "INVALID_VALUE" },
    ],
  ])("is refused as %j", async (fault, members) => {
    const one = await openSandbox();
    expect(refusal(await put(one, fault))).toEqual({
      status: 400,
      code: "INVALID_REQUEST",
      members,
    });
  });
});
