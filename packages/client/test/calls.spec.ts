import { profiles, type Profile } from "@countersign/schemas/profiles";
import { describe, expect, it, onTestFinished } from "vitest";
import { errorOf, openClient, order, pending } from "./fixtures.ts";
import { openSandbox, SECRET_KEY, TOKEN } from "./open-sandbox.ts";
import { openProvider } from "./scripted-provider.ts";

const details = { type: "CATEGORY", details: ["PAYMENT"] } as const;
const subscription = {
  url: "http://127.0.0.1:9/hooks",
  secretKey: SECRET_KEY,
  subscriptionDetails: { type: "ALL" },
} as const;

describe("every call (S 1)", () => {
  it("has the common headers, below the base URL's path", async () => {
    const { url, received } = await openProvider({ status: 201, json: pending });
    const { client } = openClient(`${url}/sub/path/`);
    await client.refund(order);
    await errorOf(client.customer("cus_1"));
    expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /sub/path/v1/refunds",
      "GET /sub/path/v1/customers/cus_1",
      // A refund is no customer: it is asked for again.
      ...Array.from({ length: 4 }, () => "GET /sub/path/v1/customers/cus_1"),
    ]);
    for (const { headers } of received) {
      expect(headers).toMatchObject({
        accept: "application/json",
        "content-type": "application/json",
        authorization: "Bearer a-token",
      });
    }
  });

  it("keeps its connections for the next ones", async () => {
    const ports = new Set<number | undefined>();
    const { url } = await openProvider((response) => {
      ports.add(response.socket?.remotePort);
      response.writeHead(201, { "content-type": "application/json" });
      response.end(JSON.stringify(pending));
    });
    const { client } = openClient(url);
    for (let made = 0; made < 20; made += 1) await client.refund(order);
    // A connection is free a moment after its answer is read: the call after that finds another.
    expect(ports.size).toBeLessThanOrEqual(2);
  });
});

describe("a customer (S 4.2)", () => {
  it("is read with the linked account", async () => {
    const one = await openSandbox();
    onTestFinished(() => one.close());
    const { client } = openClient(one.url, { token: TOKEN });
    expect(await client.customer(one.customer)).toMatchObject({
      id: one.customer,
      customerStatus: "ACTIVE",
      accountDetails: { accountLastFourDigits: expect.stringMatching(/^\d{4}$/) as string },
    });
    expect(await errorOf(client.customer("cus_none"))).toMatchObject({
      code: "CS_CALL_REFUSED",
      status: 404,
      errorCode: "CUSTOMER_NOT_FOUND",
      attempts: 1,
      mayBeDone: false,
    });
  });

  it.each(["", "../tokens", "a/b", "a?b", "a b", "x".repeat(65)])(
    "is never asked for by the identifier %j",
    async (customerId) => {
      const { url, received } = await openProvider({ status: 200, json: {} });
      const error = await errorOf(openClient(url).client.customer(customerId));
      expect(error).toMatchObject({ code: "CS_REQUEST_INVALID", attempts: 0, mayBeDone: false });
      expect(received).toEqual([]);
    },
  );

  it("that is not answered is asked for again, and never done", async () => {
    const { url, received } = await openProvider((response) => response.destroy());
    const error = await errorOf(openClient(url).client.customer("cus_1"));
    expect(error).toMatchObject({ code: "CS_CONNECTION_LOST", attempts: 5, mayBeDone: false });
    expect(received).toHaveLength(5);
  });
});

describe("a subscription (S 4.3, 4.4)", () => {
  it.each(["body", "query", "path"] as const)("is ended by its key in the %s", async (idIn) => {
    const { standard } = profiles;
    const profile: Profile = { ...standard, subscription: { ...standard.subscription, idIn } };
    const one = await openSandbox(profile);
    onTestFinished(() => one.close());
    const { client } = openClient(one.url, { token: TOKEN, profile });
    const { subscriptionKey } = await client.subscribe(subscription);
    const ended = { subscriptionId: subscriptionKey, subscriptionDetails: details };
    expect(await client.unsubscribe(ended)).toEqual({ subscriptionKey });
    expect(await client.unsubscribe(ended)).toEqual({ subscriptionKey });
    expect(
      await errorOf(client.unsubscribe({ ...ended, subscriptionId: "sub_none" })),
    ).toMatchObject({ code: "CS_CALL_REFUSED", errorCode: "SUBSCRIPTION_NOT_FOUND" });
  });

  it.each([
    ["body", "/v1/webhook/unsubscribe", { subscriptionId: "a/b?c", subscriptionDetails: details }],
    ["query", "/v1/webhook/unsubscribe?subscriptionId=a%2Fb%3Fc", { subscriptionDetails: details }],
    ["path", "/v1/webhook/unsubscribe/a%2Fb%3Fc", { subscriptionDetails: details }],
  ] as const)("has a key that cannot leave the %s", async (idIn, path, body) => {
    const { standard } = profiles;
    const { url, received } = await openProvider({
      status: 200,
      json: { subscriptionKey: "a/b?c" },
    });
    const profile = { ...standard, subscription: { ...standard.subscription, idIn } };
    const { client } = openClient(url, { profile });
    await client.unsubscribe({ subscriptionId: "a/b?c", subscriptionDetails: details });
    expect(received[0]).toMatchObject({ method: "PUT", path });
    expect(JSON.parse(received[0]?.body ?? "")).toEqual(body);
    const up = client.unsubscribe({ subscriptionId: "..", subscriptionDetails: details });
    const answered = await up.then(
      () => "sent",
      () => "refused",
    );
    expect(answered).toBe(idIn === "path" ? "refused" : "sent");
  });

  it("is never made again, whatever becomes of the call", async () => {
    const { url, received } = await openProvider(
      (response) => response.destroy(),
      { status: 503, headers: { "retry-after": "1" } },
      { status: 429 },
      { status: 200, text: "{", headers: { "content-type": "application/json" } },
    );
    const { client } = openClient(url);
    const errors = [];
    for (let made = 0; made < 4; made += 1)
      errors.push(await errorOf(client.subscribe(subscription)));
    expect(errors.map(({ code, attempts, mayBeDone }) => [code, attempts, mayBeDone])).toEqual([
      ["CS_CONNECTION_LOST", 1, true],
      ["CS_CALL_REFUSED", 1, true],
      ["CS_CALL_REFUSED", 1, false],
      ["CS_ANSWER_UNREADABLE", 1, true],
    ]);
    expect(received).toHaveLength(4);
  });
});

describe("a request that is not of the interface's form", () => {
  it("is not sent, and every wrong member is named", async () => {
    const { url, received } = await openProvider({ status: 201, json: pending });
    const { client } = openClient(url);
    const wrong = { paymentId: "pay 1", amount: "1.005", requestKey: "", softDescriptor: "#" };
    expect(await errorOf(client.refund(wrong))).toMatchObject({
      code: "CS_REQUEST_INVALID",
      errors: [
        { pointer: "/paymentId", code: "pattern" },
        { pointer: "/softDescriptor", code: "pattern" },
        { pointer: "/requestKey", code: "minLength" },
        { pointer: "/requestKey", code: "pattern" },
        { pointer: "/amount", code: "CS_AMOUNT_TOO_PRECISE" },
      ],
    });
    const weak = { ...subscription, secretKey: "short", more: 1 };
    expect(await errorOf(client.subscribe(weak))).toMatchObject({
      code: "CS_REQUEST_INVALID",
      errors: [
        { pointer: "/more", code: "additionalProperties" },
        { pointer: "/secretKey", code: "minLength" },
      ],
    });
    expect(received).toEqual([]);
  });
});
