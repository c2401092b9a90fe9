import { Readable } from "node:stream";
import { request } from "undici";
import { afterAll, describe, expect, it } from "vitest";
import { openWatched, refundOrder, type CallOptions } from "../open-service.ts";
import { refusal } from "../validated.ts";

// One service for all: what is refused leaves nothing behind that another test could meet.
const { service, merchant, call, pay, addMerchant } = await openWatched({ atEnd: afterAll });
const paymentId = await pay({ requestKey: "used", cents: 1n });
const { token: coreOnly } = await addMerchant(["core"]);
const customer = "/v1/customers/cus_1";

describe("the checks of a call", () => {
  it("run in one order: path, method, token, scope, accepted type, media type, size, JSON, fields, key, payment, business", async () => {
    const plain = {
      text: `{"a":"${"x".repeat(70_000)}"}`,
      headers: { "content-type": "text/plain" },
    };
    const html = { ...plain, headers: { ...plain.headers, accept: "text/html" } };
    const zero = { amount: { currency: "USD", value: 0 }, requestKey: "used" };
    // Each call is wrong in one more way than the next one: the first check that fails answers.
    const steps: readonly [CallOptions & { method?: string; path?: string }, status: number][] = [
      [{ ...html, path: "/v1/refund", method: "PATCH", token: null }, 404],
      [{ ...html, method: "PATCH", token: null }, 405],
      [{ ...html, token: null }, 401],
      [{ ...html, token: coreOnly }, 403],
      [html, 406],
      [plain, 415],
      [{ text: plain.text }, 413],
      [{ text: "{" }, 400],
      [{ json: refundOrder("pay_unknown", zero) }, 400],
      [{ json: refundOrder("pay_unknown", { requestKey: "used" }) }, 409],
      [{ json: refundOrder("pay_unknown", { requestKey: "free" }) }, 404],
      [{ json: refundOrder(paymentId, { requestKey: "free" }) }, 422],
    ];
    for (const [{ method = "POST", path = "/v1/refunds", ...sent }, status] of steps)
      expect(refusal(await call(method, path, sent)).status).toBe(status);
  });

  it("cut off a body of unknown length at 64 KiB", async () => {
    const answer = await request(`${service.url}/v1/refunds`, {
      method: "POST",
      headers: { authorization: `Bearer ${merchant.token}`, "content-type": "application/json" },
      body: Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(1024, 32))),
    });
    expect(answer.statusCode).toBe(413);
    await answer.body.dump();
  });
});

describe("authentication", () => {
  const challenge = 'Bearer realm="countersign"';

  it("refuses two tokens with 400 invalid_request (RFC 6750, section 3.1)", async () => {
    const inQuery = await call("GET", `${customer}?access_token=${merchant.token}`);
    const twice = await request(service.url + customer, {
      headers: ["authorization", `Bearer ${merchant.token}`, "authorization", "Bearer other"],
    });
    await twice.body.dump();
    expect([inQuery.status, twice.statusCode]).toEqual([400, 400]);
    expect(refusal(inQuery).code).toBe("INVALID_REQUEST");
    for (const { headers } of [inQuery, twice])
      expect(headers["www-authenticate"]).toBe(`${challenge}, error="invalid_request"`);
  });
});
