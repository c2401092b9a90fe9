import type { Client, RefundOrder } from "@countersign/client";
import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import {
  clientOf,
  errorOf,
  JSON_TYPE,
  lost,
  made,
  openClient,
  openProvider,
  order,
  pending,
  subscription,
} from "./fixtures.ts";

const weak = { ...subscription, secretKey: "k", more: 1 };
const details = { type: "CATEGORY", details: ["PAYMENT"] } as const;
describe("every call (S 1)", () => {
  it("has a path below the base URL's", async () => {
    const { url, received } = await openProvider(made);
    await openClient(`${url}/sub/path/`).client.refund(order);
    expect(received.map(({ path }) => path)).toEqual(["/sub/path/v1/refunds"]);
  });

  it("reuses connections", async () => {
    const ports = new Set<number | undefined>();
    const { client } = await clientOf((response) => {
      ports.add(response.socket?.remotePort);
      response.writeHead(201, JSON_TYPE).end(JSON.stringify(pending));
    });
    for (let count = 0; count < 20; count += 1) await client.refund(order);
    // A connection is free a moment after its answer is read: the call after that finds another.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it.each([
    [
      "a refund",
      (one: Client) => one.refund({ paymentId: "pay 1", amount: "1.005", requestKey: "k\n" }),
      ["/paymentId pattern", "/requestKey pattern", "/amount CS_AMOUNT_TOO_PRECISE"],
    ],
    [
      "a refund without an order, which JavaScript allows",
      (one: Client) => one.refund(undefined as unknown as RefundOrder),
      ["/paymentId required", "/requestKey required", "/amount CS_AMOUNT_NOT_A_NUMBER"],
    ],
    [
      "a subscription",
      (one: Client) => one.subscribe(weak),
      ["/more additionalProperties", "/secretKey minLength"],
    ],
    ...["../tokens", "a/b", "a?b", "a b"].map(
      (id) => [id, (one: Client) => one.customer(id), [" pattern"]] as const,
    ),
  ] as const)(
    "that is malformed is not sent, and names every member: %s",
    async (_, call, wrong) => {
      const { client, received } = await clientOf(made);
      const error = await errorOf(call(client));
      expect(error).toMatchObject({ code: "CS_REQUEST_INVALID", attempts: 0, mayBeDone: false });
      expect(error.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(wrong);
      expect(received).toEqual([]);
    },
  );
});

it("a customer (S 4.2) is requested again after a lost connection", async () => {
  const { client, received } = await clientOf(lost);
  const unread = await errorOf(client.customer("cus_1"));
  expect(unread).toMatchObject({ code: "CS_CONNECTION_LOST", attempts: 5, mayBeDone: false });
  expect(received).toHaveLength(5);
});

describe("a subscription (S 4.3, 4.4)", () => {
  it.each([
    ["body", "/v1/webhook/unsubscribe", { subscriptionId: "a/b?c", subscriptionDetails: details }],
    ["query", "/v1/webhook/unsubscribe?subscriptionId=a%2Fb%3Fc", { subscriptionDetails: details }],
    ["path", "/v1/webhook/unsubscribe/a%2Fb%3Fc", { subscriptionDetails: details }],
  ] as const)("ends by its key in the %s, which the key cannot leave", async (idIn, path, body) => {
    const { standard } = profiles;
    const profile = { ...standard, subscription: { ...standard.subscription, idIn } };
    const answer = { status: 200, json: { subscriptionKey: "a/b?c" } };
    const { client, received } = await clientOf(answer, { profile });
    await client.unsubscribe({ subscriptionId: "a/b?c", subscriptionDetails: details });
    expect(received[0]).toMatchObject({ method: "PUT", path });
    expect(JSON.parse(received[0]?.body ?? "")).toEqual(body);
    const up = client.unsubscribe({ subscriptionId: "..", subscriptionDetails: details });
    const [outcome] = await Promise.allSettled([up]);
    expect(outcome.status).toBe(idIn === "path" ? "rejected" : "fulfilled");
  });

  it("is never requested twice, whatever happens to the call", async () => {
    const { client, received } = await clientOf([
      lost,
      { status: 503, headers: { "retry-after": "1" } },
      { status: 429 },
      { status: 200, text: "{", headers: JSON_TYPE },
    ]);
    const errors = [];
    for (let count = 0; count < 4; count += 1)
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
