import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { validateCustomer, validateProblem, validateRefund } from "@countersign/schemas/writers";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveHere } from "../../packages/cli/test/serve-here.ts";
import { type Api, type ApiAnswer, createApi } from "../../packages/dev/src/api.ts";
import { linkedCustomer, payment } from "./payment.ts";

const folder = mkdtempSync(join(tmpdir(), "countersign-provider-"));
const token = "cst_provider-tests-0123456789abcdefghij";
let url: string;
let end: () => Promise<void>;
let root: Api;

beforeAll(async () => {
  const args = ["sandbox", "--port", "0", "--database", join(folder, "sandbox.db")];
  ({ url } = await serveHere(args, { COUNTERSIGN_TOKEN: token }, (ended) => (end = ended)));
  root = createApi(url, token);
});
afterAll(async () => {
  await end();
  rmSync(folder, { recursive: true, force: true });
});

interface Merchant {
  readonly accessToken: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly api: Api;
}

/** Makes a merchant whose clock is at noon of a Friday in New York. */
async function newMerchant(): Promise<Merchant> {
  const { body } = await root("POST", "/sandbox/merchants", { now: "2026-11-20T17:00:00.000Z" });
  const made = body as Omit<Merchant, "api">;
  return { ...made, api: createApi(url, made.accessToken) };
}

const order = (paymentId: string, changes: object = {}): object => ({
  paymentId,
  amount: { currency: "USD", value: 10.5 },
  requestKey: "key-1",
  ...changes,
});
const refund = (api: Api, paymentId: string, changes: object = {}): Promise<ApiAnswer> =>
  api("POST", "/v1/refunds", order(paymentId, changes));

/** Sends an invalid refund with these headers. */
async function sent(headers: Record<string, string>) {
  const answer = await request(`${url}/v1/refunds`, { method: "POST", headers, body: "{" });
  await answer.body.dump();
  return answer;
}

async function storedStatuses(api: Api): Promise<readonly string[]> {
  const { body } = await api("GET", "/sandbox/payments");
  const { payments } = body as { payments: { direction: string; paymentStatus: string }[] };
  return payments
    .filter(({ direction }) => direction === "CREDIT")
    .map(({ paymentStatus }) => paymentStatus);
}

const codeOf = ({ body }: ApiAnswer): string =>
  (body as { errorDetails: { errorCode: string } }).errorDetails.errorCode;

/** The refusal's code and the pointers of wrong members. */
function refusalOf(answer: ApiAnswer): readonly [number, string, readonly string[]] {
  expect(validateProblem(answer.body).ok).toBe(true);
  const { errors = [] } = answer.body as { errors?: { pointer: string }[] };
  return [answer.status, codeOf(answer), errors.map(({ pointer }) => pointer).toSorted()];
}

describe("a refund", () => {
  it("[P-REFUND-PENDING] [P-REFUND-AUTHORIZED] is PENDING until midnight in New York of the third business day", async () => {
    const { api } = await newMerchant();
    const processing = await refund(api, await payment(api), { requestKey: "a" });
    expect(processing).toMatchObject({ status: 201, body: { paymentStatus: "PENDING" } });
    const { api: other } = await newMerchant();
    const fresh = await refund(other, await payment(other, "settle"));
    expect(fresh).toMatchObject({ status: 201, body: { paymentStatus: "PENDING" } });
    expect(validateRefund(fresh.body).ok).toBe(true);
    // Friday the 20th settles; Thanksgiving is on the 26th, so Wednesday the 25th is the third.
    await other("PUT", "/sandbox/clock", { now: "2026-11-25T04:59:59.999Z" });
    expect(await storedStatuses(other)).toEqual(["PENDING"]);
    await other("PUT", "/sandbox/clock", { now: "2026-11-25T05:00:00.000Z" });
    expect(await storedStatuses(other)).toEqual(["AUTHORIZED"]);
  });

  it("[P-REFUND-IMMEDIATE] [P-REFUND-REFERENCE] is AUTHORIZED at once for an old payment, and returns its reference", async () => {
    const { api } = await newMerchant();
    const paymentId = await payment(api, "settle");
    await api("PUT", "/sandbox/clock", { advance: "P7D" });
    const clientReferenceId = "Bücher / 注文 42";
    const paymentStatus = "AUTHORIZED";
    const referred = await refund(api, paymentId, { requestKey: "a", clientReferenceId });
    expect(referred).toMatchObject({ status: 201, body: { paymentStatus, clientReferenceId } });
    const other = await refund(api, paymentId, { requestKey: "b" });
    expect(other).toMatchObject({ status: 201, body: { paymentStatus, clientReferenceId: null } });
  });

  it.each(["fail", "cover"])(
    "[P-REFUND-FAILED] is TERMINAL_FAILED before and after the control %s",
    async (move) => {
      const { api } = await newMerchant();
      const paymentId = await payment(api, "settle");
      await refund(api, paymentId, { requestKey: "before" });
      await api("POST", `/sandbox/payments/${paymentId}/${move}`, {});
      const after = await refund(api, paymentId, { requestKey: "after" });
      expect(after).toMatchObject({ status: 201, body: { paymentStatus: "TERMINAL_FAILED" } });
      expect(codeOf(after)).toBe("CUSTOMER_NOT_DEBITED");
      expect(await storedStatuses(api)).toEqual(["TERMINAL_FAILED", "TERMINAL_FAILED"]);
    },
  );

  it("[P-REFUND-SUM] never exceeds the payment, with 20 requests at once", async () => {
    const { api } = await newMerchant();
    const paymentId = await payment(api, "settle");
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => refund(api, paymentId, { requestKey: `k${index}` })),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(18);
    expect([...new Set(refused.map(codeOf))]).toEqual(["REFUND_AMOUNT_EXCEEDS_REMAINING"]);
  });

  it("[P-REFUND-KEY] [P-REFUND-KEY-EXISTING] is made once for a requestKey, and then named with 409", async () => {
    const { api } = await newMerchant();
    const paymentId = await payment(api, "settle", 1000);
    const answers = await Promise.all(Array.from({ length: 50 }, () => refund(api, paymentId)));
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    expect(await storedStatuses(api)).toEqual(["PENDING"]);
    const made = answers.find(({ status }) => status === 201);
    const { paymentId: id } = (made?.body ?? {}) as { paymentId?: string };
    const again = await refund(api, paymentId);
    const other = await refund(api, paymentId, { amount: { currency: "USD", value: 1 } });
    const existing = { paymentId: id, paymentStatus: "PENDING" };
    expect(again.body).toMatchObject({ existing: { ...existing, sameRequest: true } });
    expect(other.body).toMatchObject({ existing: { ...existing, sameRequest: false } });
    expect(codeOf(again)).toBe("DUPLICATE_REQUEST_KEY");
    expect(JSON.stringify(again.body)).not.toContain("TERMINAL_FAILED");
  });

  it("[P-REFUND-AMOUNT] is refused unless its amount is 0.01 to 99,999,999.99 dollars in whole cents", async () => {
    const { api } = await newMerchant();
    const paymentId = await payment(api, "settle");
    const asked = (value: string): Promise<ApiAnswer> =>
      api("POST", "/v1/refunds", JSON.stringify(order(paymentId)).replace("10.5", value));
    const wrong = "1.001 '1.00' 0 -1 1e2 0.1000000000000000055 100000000.00 null";
    for (const value of wrong.replaceAll("'", '"').split(" "))
      expect(refusalOf(await asked(value))).toEqual([400, "INVALID_AMOUNT", ["/amount/value"]]);
    expect(await storedStatuses(api)).toEqual([]);
    for (const value of ["0.01", "10", "10.5", "10.50", "25.00"]) {
      const { api: own } = await newMerchant();
      const body = JSON.stringify(order(await payment(own, "settle"))).replace("10.5", value);
      expect((await own("POST", "/v1/refunds", body)).status).toBe(201);
    }
  });

  it("[P-REFUND-CURRENCY] [P-INPUT-PRECISE] is refused with every wrong member, and stores nothing", async () => {
    const { api } = await newMerchant();
    const paymentId = await payment(api, "settle");
    const euros = await refund(api, paymentId, { amount: { currency: "EUR", value: 1 } });
    expect(refusalOf(euros)).toEqual([400, "UNSUPPORTED_CURRENCY", ["/amount/currency"]]);
    const changes = { requestKey: "", softDescriptor: "a\nb", colour: "green" };
    const [status, , pointers] = refusalOf(await refund(api, paymentId, changes));
    expect([status, ...pointers]).toEqual([400, "/colour", "/requestKey", "/softDescriptor"]);
    const deep = `{"a":${"[".repeat(17)}${"]".repeat(17)}}`;
    for (const text of ['{"paymentId":', " ", '{"paymentId":"a","paymentId":"b"}', deep])
      expect(refusalOf(await api("POST", "/v1/refunds", text))[0]).toBe(400);
    expect(await storedStatuses(api)).toEqual([]);
  });

  it("[P-INPUT-MEDIA-TYPE] is refused with 415 in another media type or charset", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=latin1",
    ]) {
      const answer = await sent({ authorization: `Bearer ${token}`, "content-type": type });
      expect([type, answer.statusCode]).toEqual([type, 415]);
    }
  });

  it("[P-FOREIGN-404] of another merchant's payment is refused like that of an unknown one", async () => {
    const [mine, theirs] = [await newMerchant(), await newMerchant()];
    const foreign = await refund(mine.api, await payment(theirs.api, "settle"));
    const unknown = await refund(mine.api, "pay_unknown");
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    const { instance: _, requestId: __, ...left } = foreign.body as Record<string, unknown>;
    expect(unknown.body).toMatchObject(left);
  });
});

describe("a caller", () => {
  it.each([
    ["without a token", {}, /^Bearer(?! error)/],
    ["with an unknown token", { authorization: "Bearer cst_wrong" }, /error="invalid_token"/],
    ["with another scheme", { authorization: "Basic YTpi" }, /^Bearer/],
  ])("[P-AUTH-BEARER] %s gets 401, whatever else is wrong", async (_what, headers, challenge) => {
    const answer = await sent({ "content-type": "text/plain", ...headers });
    expect(answer.statusCode).toBe(401);
    expect(answer.headers["www-authenticate"]).toMatch(challenge);
  });

  it("[P-AUTH-TOKEN] [P-AUTH-SCOPE] gets a token for its credentials, which opens only its scope", async () => {
    const { clientId, clientSecret } = await newMerchant();
    const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
    const tokenOf = async (body: string, more: Record<string, string> = {}): Promise<ApiAnswer> => {
      const headers = { "content-type": "application/x-www-form-urlencoded", ...more };
      const answer = await request(`${url}/v1/tokens`, { method: "POST", headers, body });
      return { status: answer.statusCode, body: await answer.body.json() };
    };
    const grant = "grant_type=client_credentials";
    const byBasic = await tokenOf(`${grant}&scope=core`, { authorization });
    const granted = { token_type: "Bearer", expires_in: 3600, scope: "core" };
    expect(byBasic).toMatchObject({ status: 200, body: granted });
    const inBody = `${grant}&client_id=${clientId}&client_secret=${clientSecret}`;
    expect((await tokenOf(inBody)).status).toBe(200);
    const wrong = await tokenOf(inBody.replace(clientSecret, "wrong"));
    expect(wrong).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    const { access_token: core } = byBasic.body as { access_token: string };
    const refused = await refund(createApi(url, core), "pay_1");
    expect([refused.status, codeOf(refused)]).toEqual([403, "INSUFFICIENT_SCOPE"]);
  });

  it("[P-CUSTOMER-READ] reads a customer with the linked account", async () => {
    const { api } = await newMerchant();
    const answer = await api("GET", `/v1/customers/${await linkedCustomer(api)}`);
    const body = { firstName: "Ada", accountDetails: { preferred: true } };
    expect(answer).toMatchObject({ status: 200, body });
    expect(validateCustomer(answer.body).ok).toBe(true);
  });
});

describe("a subscription", () => {
  const subscribe = (api: Api, changes: object): Promise<ApiAnswer> =>
    api("POST", "/v1/webhook/subscribe", {
      url: "https://merchant.example/webhooks",
      secretKey: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      subscriptionDetails: { type: "ALL" },
      ...changes,
    });

  it("[P-SUBSCRIBE-URL] [P-SUBSCRIBE-SECRET] [P-SUBSCRIBE-UNKNOWN] is refused with 400 and the wrong member", async () => {
    const { api } = await newMerchant();
    const details = (type: string, name: string) => ({
      subscriptionDetails: { type, details: [name] },
    });
    const first = "/subscriptionDetails/details/0";
    const rows: readonly (readonly [object, string, string])[] = [
      [{ url: "nowhere" }, "INVALID_URL", "/url"],
      [{ url: "ftp://merchant.example/" }, "INVALID_URL", "/url"],
      [{ url: "http://10.0.0.1/" }, "INVALID_URL", "/url"],
      [{ secretKey: "short" }, "WEAK_SECRET", "/secretKey"],
      [{ secretKey: `whpk_${"A".repeat(43)}=` }, "WEAK_SECRET", "/secretKey"],
      [details("EVENT", "refund.celebrated"), "UNKNOWN_EVENT", first],
      [details("CATEGORY", "REFUND"), "INVALID_SUBSCRIPTION_DETAILS", first],
    ];
    for (const [changes, code, pointer] of rows)
      expect(refusalOf(await subscribe(api, changes))).toEqual([400, code, [pointer]]);
    expect((await api("GET", "/sandbox/subscriptions")).body).toEqual({ subscriptions: [] });
  });

  it("[P-SUBSCRIBE-SELECT] [P-UNSUBSCRIBE-SUBTRACT] gets what it selects, less what it unsubscribes from", async () => {
    const { api } = await newMerchant();
    const keyOf = async (subscriptionDetails: object): Promise<string> =>
      ((await subscribe(api, { subscriptionDetails })).body as { subscriptionKey: string })
        .subscriptionKey;
    const all = await keyOf({ type: "ALL" });
    const category = await keyOf({ type: "CATEGORY", details: ["PAYMENT"] });
    const event = await keyOf({ type: "EVENT", details: ["customer.created"] });
    const subscriptionDetails = { type: "CATEGORY", details: ["CUSTOMER"] };
    const less = { subscriptionId: all, subscriptionDetails };
    const unsubscribe = () => api("PUT", "/v1/webhook/unsubscribe", less);
    for (const answer of [await unsubscribe(), await unsubscribe()])
      expect(answer).toEqual({ status: 200, body: { subscriptionKey: all } });
    await payment(api);
    const { deliveries } = (await api("GET", "/sandbox/deliveries")).body as {
      deliveries: { type: string; subscriptionKey: string }[];
    };
    const typesOf = (key: string): string[] =>
      deliveries.flatMap((one) => (one.subscriptionKey === key ? [one.type] : [])).toSorted();
    expect(typesOf(all)).toEqual(["account.linked", "payment.created"]);
    expect(typesOf(category)).toEqual(["payment.created"]);
    expect(typesOf(event)).toEqual(["customer.created"]);
  });
});
