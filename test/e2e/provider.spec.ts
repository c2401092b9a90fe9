import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { validateCustomer, validateProblem, validateRefund } from "@countersign/schemas/writers";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, type ApiAnswer, createApi } from "../../packages/dev/src/api.ts";
import { type Child, startChild } from "../../packages/dev/src/child.ts";

let folder: string;
let sandbox: Child;
let root: Api;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "countersign-provider-"));
  const token = "cst_provider-tests-0123456789abcdefghij";
  sandbox = await startChild({
    name: "sandbox",
    script: "packages/cli/src/main.ts",
    args: ["sandbox", "--port", "0", "--database", join(folder, "sandbox.db")],
    env: { COUNTERSIGN_TOKEN: token },
  });
  root = createApi(sandbox.url, token);
});
afterAll(async () => {
  await sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Namespace {
  readonly api: Api;
  readonly token: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A merchant of its own, whose clock stands at noon of a Friday in New York. */
async function namespace(): Promise<Namespace> {
  const { body } = await root("POST", "/sandbox/merchants", { now: "2026-11-20T17:00:00.000Z" });
  const merchant = body as { accessToken: string; clientId: string; clientSecret: string };
  return {
    ...merchant,
    token: merchant.accessToken,
    api: createApi(sandbox.url, merchant.accessToken),
  };
}

async function linkedCustomer(api: Api): Promise<string> {
  const made = await api("POST", "/sandbox/customers", {
    firstName: "Ada",
    lastName: "Byron",
    email: "ada@example.com",
  });
  const { id } = made.body as { id: string };
  await api("POST", `/sandbox/customers/${id}/link`, {});
  return id;
}

async function payment(api: Api, value = 25): Promise<string> {
  const made = await api("POST", "/sandbox/payments", {
    customerId: await linkedCustomer(api),
    amount: { currency: "USD", value },
  });
  return (made.body as { paymentId: string }).paymentId;
}

async function settled(api: Api, value = 25): Promise<string> {
  const paymentId = await payment(api, value);
  await api("POST", `/sandbox/payments/${paymentId}/settle`, {});
  return paymentId;
}

const refundBody = (paymentId: string, changes: object = {}): object => ({
  paymentId,
  amount: { currency: "USD", value: 10.5 },
  requestKey: "key-1",
  ...changes,
});
const refund = (api: Api, paymentId: string, changes: object = {}): Promise<ApiAnswer> =>
  api("POST", "/v1/refunds", refundBody(paymentId, changes));

/** What is stored of refunds: nothing, where a request was refused. */
const refundsOf = async (api: Api): Promise<{ paymentStatus: string; paymentId: string }[]> =>
  (
    (await api("GET", "/sandbox/payments")).body as {
      payments: { direction: string; paymentStatus: string; paymentId: string }[];
    }
  ).payments.filter(({ direction }) => direction === "CREDIT");

const codeOf = ({ body }: ApiAnswer): string =>
  (body as { errorDetails: { errorCode: string } }).errorDetails.errorCode;

describe("a refund of a payment", () => {
  it("[P-REFUND-PENDING] that is processing, or settled on this day, is PENDING", async () => {
    const { api } = await namespace();
    const processing = await refund(api, await payment(api), { requestKey: "a" });
    const fresh = await refund(api, await settled(api), { requestKey: "b" });

    for (const answer of [processing, fresh]) {
      expect(answer).toMatchObject({ status: 201, body: { paymentStatus: "PENDING" } });
      expect(validateRefund(answer.body).ok).toBe(true);
    }
  });

  it("[P-REFUND-AUTHORIZED] becomes AUTHORIZED at midnight in New York of the third business day", async () => {
    const { api } = await namespace();
    await refund(api, await settled(api));

    // Friday the 20th settles; Thanksgiving is on the 26th, so Wednesday the 25th is the third.
    await api("PUT", "/sandbox/clock", { now: "2026-11-25T04:59:59.999Z" });
    expect(await refundsOf(api)).toMatchObject([{ paymentStatus: "PENDING" }]);
    await api("PUT", "/sandbox/clock", { now: "2026-11-25T05:00:00.000Z" });
    expect(await refundsOf(api)).toMatchObject([{ paymentStatus: "AUTHORIZED" }]);
  });

  it("[P-REFUND-IMMEDIATE] that settled long enough ago is AUTHORIZED at once", async () => {
    const { api } = await namespace();
    const paymentId = await settled(api);
    await api("PUT", "/sandbox/clock", { advance: "P7D" });
    expect(await refund(api, paymentId)).toMatchObject({
      status: 201,
      body: { paymentStatus: "AUTHORIZED" },
    });
  });

  it.each(["fail", "cover"])(
    "[P-REFUND-FAILED] is TERMINAL_FAILED after %s, before and after the request",
    async (move) => {
      const { api } = await namespace();
      const paymentId = await settled(api);
      await refund(api, paymentId, { requestKey: "before" });
      await api("POST", `/sandbox/payments/${paymentId}/${move}`, {});

      const after = await refund(api, paymentId, { requestKey: "after" });

      expect(after).toMatchObject({ status: 201, body: { paymentStatus: "TERMINAL_FAILED" } });
      expect(codeOf(after)).toBe("CUSTOMER_NOT_DEBITED");
      expect((await refundsOf(api)).map(({ paymentStatus }) => paymentStatus)).toEqual([
        "TERMINAL_FAILED",
        "TERMINAL_FAILED",
      ]);
    },
  );

  it("[P-REFUND-REFERENCE] gives the reference back unchanged, and null for none", async () => {
    const { api } = await namespace();
    const paymentId = await settled(api);
    const reference = "Bücher / 注文 42";
    expect(
      await refund(api, paymentId, { requestKey: "a", clientReferenceId: reference }),
    ).toMatchObject({ body: { clientReferenceId: reference } });
    expect(await refund(api, paymentId, { requestKey: "b" })).toMatchObject({
      body: { clientReferenceId: null },
    });
  });

  it("[P-REFUND-SUM] never adds up to more than the payment", async () => {
    const { api } = await namespace();
    const paymentId = await settled(api);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        refund(api, paymentId, { requestKey: `key-${String(index)}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(new Set(answers.filter(({ status }) => status !== 201).map(codeOf))).toEqual(
      new Set(["REFUND_AMOUNT_EXCEEDS_REMAINING"]),
    );
  });

  it("[P-REFUND-KEY] with a known requestKey is 409, also when all come at once", async () => {
    const { api } = await namespace();
    const paymentId = await settled(api, 1000);
    const answers = await Promise.all(Array.from({ length: 50 }, () => refund(api, paymentId)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    expect(await refundsOf(api)).toHaveLength(1);
  });

  it("[P-REFUND-KEY-EXISTING] names the existing refund, and whether the request is the same", async () => {
    const { api } = await namespace();
    const paymentId = await settled(api);
    const { paymentId: refundId } = (await refund(api, paymentId)).body as { paymentId: string };

    const again = await refund(api, paymentId);
    const other = await refund(api, paymentId, { amount: { currency: "USD", value: 1 } });

    const existing = { paymentId: refundId, paymentStatus: "PENDING" };
    expect(again.body).toMatchObject({ existing: { ...existing, sameRequest: true } });
    expect(other.body).toMatchObject({ existing: { ...existing, sameRequest: false } });
    expect(codeOf(again)).toBe("DUPLICATE_REQUEST_KEY");
    expect(JSON.stringify(again.body)).not.toContain("TERMINAL_FAILED");
  });
});

describe("a refund request that is refused", () => {
  it.each([
    ["1.001", "INVALID_AMOUNT"],
    ['"1.00"', "INVALID_AMOUNT"],
    ["0", "INVALID_AMOUNT"],
    ["-1", "INVALID_AMOUNT"],
    ["1e2", "INVALID_AMOUNT"],
    ["0.1000000000000000055", "INVALID_AMOUNT"],
    ["100000000.00", "INVALID_AMOUNT"],
    ["null", "INVALID_AMOUNT"],
  ])("[P-REFUND-AMOUNT] for the amount %s is 400 and stores nothing", async (value, code) => {
    const { api } = await namespace();
    const text = JSON.stringify(refundBody(await settled(api))).replace("10.5", value);

    const answer = await api("POST", "/v1/refunds", text);

    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: "/amount/value" }] },
    });
    expect(codeOf(answer)).toBe(code);
    expect(validateProblem(answer.body).ok).toBe(true);
    expect(await refundsOf(api)).toEqual([]);
  });

  it.each(["0.01", "10", "10.5", "10.50", "25.00"])(
    "[P-REFUND-AMOUNT] does not include the amount %s",
    async (value) => {
      const { api } = await namespace();
      const text = JSON.stringify(refundBody(await settled(api))).replace("10.5", value);
      expect((await api("POST", "/v1/refunds", text)).status).toBe(201);
    },
  );

  it("[P-REFUND-CURRENCY] for the currency EUR is 400", async () => {
    const { api } = await namespace();
    const answer = await refund(api, await settled(api), { amount: { currency: "EUR", value: 1 } });
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: "/amount/currency" }] },
    });
    expect(codeOf(answer)).toBe("UNSUPPORTED_CURRENCY");
    expect(await refundsOf(api)).toEqual([]);
  });

  it("[P-INPUT-PRECISE] names every wrong member at once and stores nothing", async () => {
    const { api } = await namespace();
    const answer = await refund(api, await settled(api), {
      requestKey: "",
      softDescriptor: "a\nb",
      colour: "green",
    });
    const { errors } = answer.body as { errors: { pointer: string; code: string }[] };
    expect(answer.status).toBe(400);
    expect(errors.map(({ pointer }) => pointer).toSorted()).toEqual([
      "/colour",
      "/requestKey",
      "/softDescriptor",
    ]);
    expect(await refundsOf(api)).toEqual([]);
  });

  it.each([
    ["broken", '{"paymentId":'],
    ["empty", " "],
    ["with a duplicate member", '{"paymentId":"a","paymentId":"b"}'],
    ["too deep", `{"a":${"[".repeat(17)}${"]".repeat(17)}}`],
  ])("[P-INPUT-PRECISE] for JSON that is %s is 400", async (_what, text) => {
    const { api } = await namespace();
    const answer = await api("POST", "/v1/refunds", text);
    expect(answer.status).toBe(400);
    expect(validateProblem(answer.body).ok).toBe(true);
    expect(await refundsOf(api)).toEqual([]);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"])(
    "[P-INPUT-MEDIA-TYPE] for the media type %s is 415",
    async (type) => {
      const { token } = await namespace();
      const answer = await request(`${sandbox.url}/v1/refunds`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": type },
        body: "{}",
      });
      expect(answer.statusCode).toBe(415);
      await answer.body.dump();
    },
  );

  it("[P-FOREIGN-404] for another merchant's payment looks like an unknown one", async () => {
    const [mine, theirs] = [await namespace(), await namespace()];
    const foreign = await refund(mine.api, await settled(theirs.api));
    const unknown = await refund(mine.api, "pay_unknown");
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    const { instance: _, requestId: __, ...left } = foreign.body as Record<string, unknown>;
    const { instance: ___, requestId: ____, ...right } = unknown.body as Record<string, unknown>;
    expect(left).toEqual(right);
  });
});

describe("a caller", () => {
  it.each([
    ["without a token", undefined, /^Bearer(?! error)/],
    ["with a wrong token", "Bearer cst_wrong", /error="invalid_token"/],
    ["with another scheme", "Basic YTpi", /^Bearer/],
  ])(
    "[P-AUTH-BEARER] %s is 401, whatever else is wrong",
    async (_what, authorization, challenge) => {
      const answer = await request(`${sandbox.url}/v1/refunds`, {
        method: "POST",
        headers: { "content-type": "text/plain", ...(authorization && { authorization }) },
        body: "{",
      });
      expect(answer.statusCode).toBe(401);
      expect(answer.headers["www-authenticate"]).toMatch(challenge);
      await answer.body.dump();
    },
  );

  it("[P-AUTH-TOKEN] [P-AUTH-SCOPE] gets a token by its credentials, for the scope it asks for", async () => {
    const { clientId, clientSecret } = await namespace();
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
    const tokenOf = async (headers: Record<string, string>, body: string): Promise<ApiAnswer> => {
      const answer = await request(`${sandbox.url}/v1/tokens`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        body,
      });
      return { status: answer.statusCode, body: await answer.body.json() };
    };
    const inBody = `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`;

    const byBasic = await tokenOf(
      { authorization: `Basic ${basic}` },
      "grant_type=client_credentials&scope=core",
    );
    expect(byBasic).toMatchObject({
      status: 200,
      body: { token_type: "Bearer", expires_in: 3600, scope: "core" },
    });
    expect((await tokenOf({}, inBody)).status).toBe(200);
    expect(await tokenOf({}, inBody.replace(clientSecret, "wrong"))).toMatchObject({
      status: 401,
      body: { error: "invalid_client" },
    });

    const { access_token: core } = byBasic.body as { access_token: string };
    const refused = await refund(createApi(sandbox.url, core), "pay_1");
    expect(refused.status).toBe(403);
    expect(codeOf(refused)).toBe("INSUFFICIENT_SCOPE");
  });

  it("[P-CUSTOMER-READ] reads a customer with the linked account", async () => {
    const { api } = await namespace();
    const answer = await api("GET", `/v1/customers/${await linkedCustomer(api)}`);
    expect(answer).toMatchObject({
      status: 200,
      body: { firstName: "Ada", accountDetails: { preferred: true } },
    });
    expect(validateCustomer(answer.body).ok).toBe(true);
  });
});

describe("a subscription", () => {
  const good = {
    url: "https://merchant.example/webhooks",
    secretKey: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    subscriptionDetails: { type: "ALL" },
  };
  const subscribe = (api: Api, changes: object = {}): Promise<ApiAnswer> =>
    api("POST", "/v1/webhook/subscribe", { ...good, ...changes });

  it.each([
    ["[P-SUBSCRIBE-URL] that is no URL", { url: "nowhere" }, "INVALID_URL", "/url"],
    ["[P-SUBSCRIBE-URL] of ftp", { url: "ftp://merchant.example/" }, "INVALID_URL", "/url"],
    [
      "[P-SUBSCRIBE-URL] of an internal address",
      { url: "http://10.0.0.1/" },
      "INVALID_URL",
      "/url",
    ],
    [
      "[P-SUBSCRIBE-SECRET] with a short secret",
      { secretKey: "short" },
      "WEAK_SECRET",
      "/secretKey",
    ],
    [
      "[P-SUBSCRIBE-SECRET] with a public key as secret",
      { secretKey: `whpk_${"A".repeat(43)}=` },
      "WEAK_SECRET",
      "/secretKey",
    ],
    [
      "[P-SUBSCRIBE-UNKNOWN] to an unknown event",
      { subscriptionDetails: { type: "EVENT", details: ["refund.celebrated"] } },
      "UNKNOWN_EVENT",
      "/subscriptionDetails/details/0",
    ],
    [
      "to an unknown category",
      { subscriptionDetails: { type: "CATEGORY", details: ["REFUND"] } },
      "INVALID_SUBSCRIPTION_DETAILS",
      "/subscriptionDetails/details/0",
    ],
  ])("%s is refused with 400", async (_what, changes, code, pointer) => {
    const { api } = await namespace();
    const answer = await subscribe(api, changes);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
    expect(codeOf(answer)).toBe(code);
    expect((await api("GET", "/sandbox/subscriptions")).body).toEqual({ subscriptions: [] });
  });

  it("[P-SUBSCRIBE-SELECT] [P-UNSUBSCRIBE-SUBTRACT] gets what it selects, less what it unsubscribes from", async () => {
    const { api } = await namespace();
    const keyOf = async (details: object): Promise<string> => {
      const { body } = await subscribe(api, { subscriptionDetails: details });
      return (body as { subscriptionKey: string }).subscriptionKey;
    };
    const all = await keyOf({ type: "ALL" });
    const category = await keyOf({ type: "CATEGORY", details: ["PAYMENT"] });
    const event = await keyOf({ type: "EVENT", details: ["customer.created"] });
    const unsubscribe = (): Promise<ApiAnswer> =>
      api("PUT", "/v1/webhook/unsubscribe", {
        subscriptionId: all,
        subscriptionDetails: { type: "CATEGORY", details: ["CUSTOMER"] },
      });
    for (const answer of [await unsubscribe(), await unsubscribe()])
      expect(answer).toEqual({ status: 200, body: { subscriptionKey: all } });

    await payment(api);

    const { deliveries } = (await api("GET", "/sandbox/deliveries")).body as {
      deliveries: { type: string; subscriptionKey: string }[];
    };
    const typesOf = (key: string): string[] =>
      deliveries
        .filter(({ subscriptionKey }) => subscriptionKey === key)
        .map(({ type }) => type)
        .toSorted();
    expect(typesOf(all)).toEqual(["account.linked", "payment.created"]);
    expect(typesOf(category)).toEqual(["payment.created"]);
    expect(typesOf(event)).toEqual(["customer.created"]);
  });
});
