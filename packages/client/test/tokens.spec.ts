import type { ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createClient, type TokenProvider } from "@countersign/client";
import { openFaultProxy } from "./fault-proxy.ts";
import { errorOf, openClient, order, pending, problem } from "./fixtures.ts";
import { openSandbox } from "./open-sandbox.ts";
import { openProvider, type Received } from "./scripted-provider.ts";
import { TestTime } from "./test-time.ts";

const credentials = { token: undefined, clientId: "merchant:7", clientSecret: "s3cret/+ %ü" };

/** A provider that issues t1, t2, … and answers refunds to the last of them, where `isGood`. */
function issuing({ seconds = 3600, isGood = true } = {}) {
  const issued: string[] = [];
  const answer = (response: ServerResponse, { path, headers }: Received): void => {
    const isToken = path === "/v1/tokens";
    if (isToken) issued.push(`t${issued.length + 1}`);
    const isTaken = isToken || (headers.authorization === `Bearer ${issued.at(-1)}` && isGood);
    response.writeHead(isTaken ? 200 : 401, { "content-type": "application/json" });
    const token = { access_token: issued.at(-1), token_type: "bearer", expires_in: seconds };
    response.end(JSON.stringify(isToken ? token : isTaken ? pending : {}));
  };
  return { issued, answer };
}

describe("the access token (S 5.2)", () => {
  it("is asked for once by a hundred calls at one time, and kept [P-AUTH-TOKEN]", async () => {
    const one = await openSandbox();
    onTestFinished(() => one.close());
    const proxy = await openFaultProxy(one.port);
    onTestFinished(() => proxy.close());
    const made = await one.control("POST", "/sandbox/merchants", {});
    // Its deadlines stand still: on a loaded machine a call that took too long would be made again.
    const { now, sleep } = new TestTime();
    const client = createClient({
      now,
      sleep,
      baseUrl: proxy.url,
      clientId: String(made["clientId"]),
      clientSecret: String(made["clientSecret"]),
      scopes: ["core"],
    });
    const codes = await Promise.all(
      Array.from({ length: 100 }, () => errorOf(client.customer("cus_of_another"))),
    );
    await client.close();
    expect(new Set(codes.map((error) => "errorCode" in error && error.errorCode))).toEqual(
      new Set(["CUSTOMER_NOT_FOUND"]),
    );
    expect(proxy.requests.filter((call) => call === "POST /v1/tokens")).toHaveLength(1);
    expect(proxy.requests).toHaveLength(101);
  });

  it("is asked for with Basic of encoded halves and a form (RFC 6749, section 2.3.1)", async () => {
    const { url, received } = await openProvider(issuing().answer);
    await openClient(url, { ...credentials, scopes: ["payments", "core"] }).client.refund(order);
    const [asked, call] = received;
    expect(asked).toMatchObject({
      method: "POST",
      path: "/v1/tokens",
      body: "grant_type=client_credentials&scope=payments+core",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    const basic = Buffer.from(asked?.headers.authorization?.slice(6) ?? "", "base64").toString();
    expect(basic).toBe("merchant%3A7:s3cret%2F%2B+%25%C3%BC");
    expect(call?.headers.authorization).toBe("Bearer t1");
  });

  it("is renewed in the last minute of its life, while calls go on with it", async () => {
    const { issued, answer } = issuing();
    const { url, received } = await openProvider((response, one) => {
      // The second token is never answered: nobody may wait for it.
      if (one.path === "/v1/tokens" && issued.length > 0) return;
      answer(response, one);
    });
    const tokensAsked = () => received.filter(({ path }) => path === "/v1/tokens").length;
    const { client, time } = openClient(url, credentials);
    await client.refund(order);
    time.elapse(3_539_999);
    await client.refund(order);
    expect(tokensAsked()).toBe(1);
    time.elapse(1);
    await client.refund(order);
    await vi.waitFor(() => expect(tokensAsked()).toBe(2));
    await client.refund(order);
    expect(tokensAsked()).toBe(2);
    expect(received.at(-1)?.headers.authorization).toBe("Bearer t1");
  });

  it("is another one once its life has ended", async () => {
    const { url, received } = await openProvider(issuing({ seconds: 100 }).answer);
    const { client, time } = openClient(url, credentials);
    await client.refund(order);
    time.elapse(100_000);
    await client.refund(order);
    expect(received.at(-1)?.headers.authorization).toBe("Bearer t2");
  });

  it("that is refused with 401 is renewed once for all calls that it was refused to", async () => {
    const { issued, answer } = issuing();
    const { url } = await openProvider(answer);
    const { client } = openClient(url, credentials);
    await client.refund(order);
    issued.push("the provider has revoked t1");
    await Promise.all(Array.from({ length: 20 }, () => client.refund(order)));
    expect(issued).toHaveLength(3);
  });

  it("is renewed once in a call that is answered 401 again and again", async () => {
    const { issued, answer } = issuing({ isGood: false });
    const { url, received } = await openProvider(answer);
    const error = await errorOf(openClient(url, credentials).client.refund(order));
    expect(error).toMatchObject({ code: "CS_CALL_REFUSED", status: 401, mayBeDone: false });
    expect(issued).toHaveLength(2);
    expect(received).toHaveLength(4);
  });

  it("is renewed for a subscribe too, which a 401 has not done", async () => {
    const { answer } = issuing();
    const { url, received } = await openProvider(answer, problem(401, "UNAUTHENTICATED"), answer, {
      status: 200,
      json: { subscriptionKey: "sub_1" },
    });
    const { client } = openClient(url, credentials);
    const subscribed = await client.subscribe({
      url: "https://merchant.example/hooks",
      secretKey: "a-secret-of-24-characters-or-more",
      subscriptionDetails: { type: "ALL" },
    });
    expect(subscribed).toEqual({ subscriptionKey: "sub_1" });
    expect(received.map(({ headers }) => headers.authorization?.slice(0, 9))).toEqual([
      "Basic bWV",
      "Bearer t1",
      "Basic bWV",
      "Bearer t2",
    ]);
  });

  it("that cannot be had is asked for again by a call that may be made again", async () => {
    const { answer } = issuing();
    let refusals = 2;
    const { url } = await openProvider((response, one) => {
      if ((refusals -= 1) >= 0) response.destroy();
      else answer(response, one);
    });
    expect(await openClient(url, credentials).client.refund(order)).toMatchObject({
      refundId: "ref_1",
    });
  });

  it("that is refused ends the call, and nothing was asked for", async () => {
    const { url, received } = await openProvider({
      status: 401,
      json: { error: "invalid_client" },
    });
    expect(await errorOf(openClient(url, credentials).client.refund(order))).toMatchObject({
      code: "CS_TOKEN_REFUSED",
      status: 401,
      error: "invalid_client",
      mayBeDone: false,
      attempts: 1,
    });
    expect(received).toHaveLength(1);
  });

  it.each([
    ["no JSON", { status: 200, text: "{}" }],
    [
      "no token",
      { status: 200, json: { access_token: "a b", token_type: "Bearer", expires_in: 1 } },
    ],
    ["a redirect", { status: 302, headers: { location: "/elsewhere" } }],
  ] as const)("is unavailable where the endpoint answers with %s", async (_, answer) => {
    const { url } = await openProvider(answer);
    const { client } = openClient(url, { ...credentials, retry: { attempts: 1 } });
    expect(await errorOf(client.refund(order))).toMatchObject({
      code: "CS_TOKEN_UNAVAILABLE",
      reason: "CS_ANSWER_UNREADABLE",
    });
  });
});

describe("a token of the caller's own", () => {
  it("is got by its function, and again after a 401", async () => {
    let count = 0;
    const provider: TokenProvider = () => ({ token: `own-${(count += 1)}` });
    const { url, received } = await openProvider(problem(401, "UNAUTHENTICATED"), {
      status: 201,
      json: pending,
    });
    await openClient(url, { token: provider }).client.refund(order);
    expect(received.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer own-1",
      "Bearer own-2",
    ]);
  });

  it("is got again once in a call, in whichever of its attempts", async () => {
    let count = 0;
    const token: TokenProvider = () => ({ token: `own-${(count += 1)}` });
    const { url, received } = await openProvider(
      problem(401, "UNAUTHENTICATED"),
      problem(503, "SERVICE_UNAVAILABLE"),
      problem(401, "UNAUTHENTICATED"),
    );
    const error = await errorOf(openClient(url, { token }).client.refund(order));
    expect(error).toMatchObject({ code: "CS_CALL_REFUSED", status: 401, attempts: 2 });
    expect([count, received.length]).toEqual([2, 3]);
  });

  it("that is not got again early is asked for again five seconds later, and used meanwhile", async () => {
    const { url } = await openProvider({ status: 201, json: pending });
    let count = 0;
    const { client, time } = openClient(url, {
      token: () => {
        count += 1;
        if (count > 1) throw new Error("not now");
        return { token: "t", expiresAt: time.now() + 600_000 };
      },
    });
    const countAfter = async (ms: number): Promise<number> => {
      time.elapse(ms);
      await client.refund(order);
      return count;
    };
    expect(await countAfter(0)).toBe(1);
    expect(await countAfter(540_000)).toBe(2);
    expect(await countAfter(4999)).toBe(2);
    expect(await countAfter(1)).toBe(3);
    // Its life has ended: now there is none.
    time.elapse(60_000);
    expect(await errorOf(client.refund(order))).toMatchObject({ code: "CS_TOKEN_UNAVAILABLE" });
  });

  it("is not sent again where it is the same", async () => {
    const { url, received } = await openProvider(problem(401, "UNAUTHENTICATED"));
    await errorOf(openClient(url).client.refund(order));
    expect(received).toHaveLength(1);
  });

  it.each<[string, TokenProvider, string]>([
    ["throws", () => Promise.reject(new Error("with my-secret in it")), "CS_TOKEN_PROVIDER_FAILED"],
    ["gives no token", () => ({ token: "two words" }), "CS_TOKEN_MALFORMED"],
    ["gives no time", () => ({ token: "t", expiresAt: Number.NaN }), "CS_TOKEN_MALFORMED"],
  ])("is unavailable where its function %s", async (_, token, reason) => {
    const { url, received } = await openProvider({ status: 201, json: pending });
    const { client } = openClient(url, { token, retry: { attempts: 2 } });
    const error = await errorOf(client.refund(order));
    expect(error).toMatchObject({ code: "CS_TOKEN_UNAVAILABLE", reason, attempts: 2 });
    expect(received).toEqual([]);
  });

  it("is waited for no longer than an attempt takes", async () => {
    const { url } = await openProvider({ status: 201, json: pending });
    const asked = Promise.withResolvers<AbortSignal>();
    const token: TokenProvider = ({ signal }) => {
      asked.resolve(signal);
      return new Promise(() => undefined);
    };
    const { client, time } = openClient(url, { token, retry: { attempts: 1 } });
    const error = errorOf(client.refund(order));
    const signal = await asked.promise;
    time.elapse(time.attemptMs);
    expect(await error).toMatchObject({ code: "CS_TOKEN_UNAVAILABLE", reason: "CS_CALL_TIMEOUT" });
    expect(signal.aborted).toBe(true);
  });
});
