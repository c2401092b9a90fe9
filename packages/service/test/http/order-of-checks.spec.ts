import { Readable } from "node:stream";
import { request } from "undici";
import { afterAll, describe, expect, it } from "vitest";
import type { CallOptions } from "../open-service.ts";
import { newPayment } from "../payments.ts";
import { refusal } from "../validated.ts";
import { watchRefusals } from "../watch-refusals.ts";

const openService = watchRefusals();

// One service for all: what is refused leaves nothing behind that another test could meet.
const { service, merchant, call, addMerchant } = await openService({ atEnd: afterAll });
await newPayment(service, merchant, { requestKey: "used" });
const { token: coreOnly } = await addMerchant(["core"]);

/**
 * Each call is wrong in one more way than the next one: what is answered is always the first check
 * that fails. Somebody without a token learns that a path exists, and nothing else.
 */
describe("the checks of a call come in the order of", () => {
  const big = `{"a":"${"x".repeat(70_000)}"}`;
  const used = {
    paymentId: "pay_unknown",
    amount: { currency: "USD", value: 1 },
    requestKey: "used",
  };
  const steps: readonly [
    check: string,
    options: CallOptions & { method?: string; path?: string },
    status: number,
  ][] = [
    [
      "path",
      {
        path: "/v1/refund",
        method: "PATCH",
        token: null,
        text: big,
        headers: { "content-type": "text/plain" },
      },
      404,
    ],
    [
      "method",
      { method: "PATCH", token: null, text: big, headers: { "content-type": "text/plain" } },
      405,
    ],
    ["authentication", { token: null, text: big, headers: { "content-type": "text/plain" } }, 401],
    ["scope", { token: coreOnly, text: big, headers: { "content-type": "text/plain" } }, 403],
    [
      "accepted media type",
      { text: big, headers: { accept: "text/html", "content-type": "text/plain" } },
      406,
    ],
    ["media type", { text: big, headers: { "content-type": "text/plain" } }, 415],
    ["size", { text: big }, 413],
    ["JSON", { text: "{" }, 400],
    ["fields", { json: { ...used, amount: { currency: "USD", value: 0 } } }, 400],
    ["key", { json: used }, 409],
    ["payment", { json: { ...used, requestKey: "free" } }, 404],
  ];

  it.each(steps)("%s", async (_, options, status) => {
    const { method = "POST", path = "/v1/refunds", ...rest } = options;
    const answer = await call(method, path, rest);
    expect(refusal(answer).status).toBe(status);
  });

  it("business, last", async () => {
    const paymentId = await newPayment(service, merchant, { cents: 1n });
    const json = { paymentId, amount: { currency: "USD", value: 1 }, requestKey: "free" };
    expect(refusal(await call("POST", "/v1/refunds", { json })).status).toBe(422);
  });
});

describe("a path of the interface", () => {
  it.each([
    ["/v1/refunds", "POST"],
    ["/v1/customers/cus_1", "GET, HEAD"],
    ["/v1/webhook/subscribe", "POST"],
    ["/v1/webhook/unsubscribe", "PUT"],
    ["/v1/tokens", "POST"],
    ["/healthz", "GET, HEAD"],
    ["/readyz", "GET, HEAD"],
  ])("%s answers other methods with 405 and Allow: %s", async (path, allow) => {
    for (const method of ["DELETE", "OPTIONS", "PATCH"]) {
      const answer = await call(method, path, { token: null });
      expect(refusal(answer)).toEqual({ status: 405, code: "METHOD_NOT_ALLOWED" });
      expect(answer.headers["allow"]).toBe(allow);
    }
  });

  it.each([
    "/",
    "/v1",
    "/V1/refunds",
    "/v1/refunds/",
    "/v1/customers/",
    "/v1/customers/%ZZ",
    "/v2/refunds",
  ])("is not %s", async (path) => {
    const answer = await call("POST", path, { json: {} });
    expect(refusal(answer)).toEqual({ status: 404, code: "NOT_FOUND" });
  });
});

describe("authentication", () => {
  it.each([
    ["no header", {}],
    ["another scheme", { authorization: "Basic YTpi" }],
    ["an empty header", { authorization: "" }],
  ])("without a token (%s) is 401 with a bare challenge", async (_, headers) => {
    const answer = await call("GET", "/v1/customers/cus_1", { token: null, headers });
    expect(refusal(answer)).toEqual({ status: 401, code: "UNAUTHENTICATED" });
    expect(answer.headers["www-authenticate"]).toBe('Bearer realm="countersign"');
  });

  it.each(["Bearer", "Bearer ", "Bearer wrong", "bearer a b", "Bearer tökèn"])(
    "with a token that is not one (%s) is 401 invalid_token",
    async (authorization) => {
      const headers = { authorization: Buffer.from(authorization).toString("latin1") };
      const answer = await call("GET", "/v1/customers/cus_1", { token: null, headers });
      expect(refusal(answer)).toEqual({ status: 401, code: "UNAUTHENTICATED" });
      expect(answer.headers["www-authenticate"]).toBe(
        'Bearer realm="countersign", error="invalid_token"',
      );
    },
  );

  it("is not taken from a query or a body, where RFC 6750 lets a token stand", async () => {
    const path = `/v1/customers/cus_1?access_token=${merchant.token}`;
    const answer = await call("GET", path, { token: null });
    expect(refusal(answer)).toEqual({ status: 401, code: "UNAUTHENTICATED" });
    const form = await call("POST", "/v1/refunds", {
      token: null,
      text: `access_token=${merchant.token}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(refusal(form).status).toBe(401);
  });

  it("twice is 400 invalid_request (RFC 6750, section 3.1)", async () => {
    const inQuery = await call("GET", `/v1/customers/cus_1?access_token=${merchant.token}`);
    const twice = await request(`${service.url}/v1/customers/cus_1`, {
      headers: ["authorization", `Bearer ${merchant.token}`, "authorization", "Bearer other"],
    });
    const statuses = [inQuery.status, twice.statusCode];
    const challenges = [inQuery.headers, twice.headers].map((all) => all["www-authenticate"]);
    await twice.body.dump();
    expect(statuses).toEqual([400, 400]);
    expect(refusal(inQuery).code).toBe("INVALID_REQUEST");
    expect(new Set(challenges)).toEqual(
      new Set(['Bearer realm="countersign", error="invalid_request"']),
    );
  });

  it("takes the scheme's name in any case", async () => {
    const headers = { authorization: `bEaReR  ${merchant.token}` };
    const answer = await call("GET", "/v1/customers/cus_1", { token: null, headers });
    expect(answer.status).toBe(404);
  });

  it("[P-AUTH-TOKEN-EXPIRES] ends when the token expires, to the millisecond", async () => {
    const own = await openService();
    const token = await own.service.useCases.createToken({
      merchantId: own.merchant.id,
      clientId: null,
      scopes: ["core"],
      lifetimeSeconds: 60,
    });
    own.clock.advance(59_999);
    expect((await own.call("GET", "/v1/customers/c", { token })).status).toBe(404);
    own.clock.advance(1);
    expect((await own.call("GET", "/v1/customers/c", { token })).status).toBe(401);
  });

  it.each([
    ["POST", "/v1/refunds", "payments"],
    ["GET", "/v1/customers/c", "core"],
    ["POST", "/v1/webhook/subscribe", "core"],
    ["PUT", "/v1/webhook/unsubscribe", "core"],
  ])("of %s %s needs the scope %s", async (method, path, scope) => {
    const others = ["payments", "core"].filter((name) => name !== scope);
    const { token } = await addMerchant(others);
    const answer = await call(method, path, { token });
    expect(refusal(answer)).toEqual({ status: 403, code: "INSUFFICIENT_SCOPE" });
    expect(answer.headers["www-authenticate"]).toBe(
      `Bearer realm="countersign", error="insufficient_scope", scope="${scope}"`,
    );
  });
});

describe("the media types of a call", () => {
  it.each([
    ["application/json; charset=utf-8", 400],
    ["Application/JSON;Charset=UTF-8", 400],
    ['application/json; charset="utf-8"', 400],
    ["application/json; charset=latin1", 415],
    ["application/json; charset=utf-16", 415],
    ["text/json", 415],
    ["application/x-www-form-urlencoded", 415],
    ["application/json, text/plain", 415],
    ["", 415],
  ])("T-19 with Content-Type %j answer an empty object with %i", async (type, status) => {
    const answer = await call("POST", "/v1/refunds", {
      text: "{}",
      headers: { "content-type": type },
    });
    expect(refusal(answer).status).toBe(status);
  });

  it.each(["gzip", "br", "identity, gzip", "x"])(
    "with Content-Encoding %s are 415",
    async (coding) => {
      const headers = { "content-encoding": coding };
      const answer = await call("POST", "/v1/refunds", { json: {}, headers });
      expect(refusal(answer)).toEqual({ status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
    },
  );

  it("T-19 may be left out of a GET", async () => {
    const headers = { accept: "*/*", authorization: `Bearer ${merchant.token}` };
    const answer = await call("GET", "/v1/customers/c", { token: null, headers });
    expect(answer.status).toBe(404);
  });
});

/** JSON of so many bytes. */
const textOf = (length: number): string => `{"a":"${"x".repeat(length - 8)}"}`;

describe("a body", () => {
  it("may have 64 KiB and not one byte more, whatever its Content-Length says", async () => {
    expect((await call("POST", "/v1/refunds", { text: textOf(65_536) })).status).toBe(400);
    const answer = await call("POST", "/v1/refunds", { text: textOf(65_537) });
    expect(refusal(answer)).toEqual({ status: 413, code: "PAYLOAD_TOO_LARGE" });
  });

  it("is cut off at the same length where it comes without one", async () => {
    const answer = await request(`${service.url}/v1/refunds`, {
      method: "POST",
      headers: { authorization: `Bearer ${merchant.token}`, "content-type": "application/json" },
      body: Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(1024, 32))),
    });
    expect(answer.statusCode).toBe(413);
    await answer.body.dump();
  });
});
