import { describe, expect, it } from "vitest";
import { faultRoutes, type FaultRoute } from "../src/faults.ts";
import { openSandbox, refusal, SECRET, type Answer, type TestSandbox } from "./open-sandbox.ts";

const KINDS = ["status", "delay", "reset", "lost"] as const;

/** A call of each route that changes something where it can, and what it is answered with. */
async function callsOf(
  one: TestSandbox,
): Promise<
  Readonly<Record<FaultRoute, { readonly status: number; readonly send: () => Promise<Answer> }>>
> {
  const { customers, payments, clientId, clientSecret } = one.opened.seeded ?? {};
  const subscriptionId = await one.subscribe("https://merchant.example/first");
  const amount = { currency: "USD", value: 1 };
  const refund = { paymentId: payments?.settled, amount, requestKey: "key-1" };
  const subscriptionDetails = { type: "ALL" };
  const subscription = { url: "https://merchant.example/", secretKey: SECRET, subscriptionDetails };
  const unsubscription = { subscriptionId, subscriptionDetails };
  const grant = {
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
  };
  const post = (path: string, json: object) => () => one.call("POST", path, { json });
  return {
    "POST /v1/refunds": { status: 201, send: post("/v1/refunds", refund) },
    "GET /v1/customers": {
      status: 200,
      send: () => one.call("GET", `/v1/customers/${customers?.active}`),
    },
    "POST /v1/webhook/subscribe": {
      status: 200,
      send: post("/v1/webhook/subscribe", subscription),
    },
    "PUT /v1/webhook/unsubscribe": {
      status: 200,
      send: () =>
        one.call("PUT", `/v1/webhook/unsubscribe/${subscriptionId}`, { json: unsubscription }),
    },
    "POST /v1/tokens": {
      status: 200,
      send: () => one.call("POST", "/v1/tokens", { token: null, json: grant }),
    },
  };
}

/** What the calls change. */
async function stored({ sandbox }: TestSandbox): Promise<string> {
  const { driver } = sandbox.service;
  const tables = ["payments", "events", "subscriptions", "tokens"];
  return JSON.stringify(
    await Promise.all(tables.map((table) => driver.query(`SELECT * FROM ${table} ORDER BY 1`))),
  );
}

const cases = faultRoutes.flatMap((route) => KINDS.map((kind) => [route, kind] as const));

describe("a fault on each call of the interface", () => {
  it.each(cases)(
    "%s: %s happens once, and does the work or leaves it undone as it says",
    async (route, kind) => {
      const one = await openSandbox();
      const { status, send } = (await callsOf(one))[route];
      const more = { status: { status: 502 }, delay: { delayMs: 1 }, reset: {}, lost: {} };
      const fault = { route, kind, ...more[kind] };
      await one.call("PUT", "/sandbox/faults", { json: { faults: [fault] } });
      const before = await stored(one);

      const broken = await send().then(
        (answer) => (answer.status < 400 ? answer.status : refusal(answer)),
        (error: unknown) => (/ECONNRESET|hang up/.test(String(error)) ? "reset" : "another error"),
      );
      const expected = {
        status: { status: 502, code: "INJECTED_FAULT" },
        delay: status,
        reset: "reset",
        lost: "reset",
      };
      expect(broken).toEqual(expected[kind]);
      // Reading a customer changes nothing in any case.
      const isWorkDone = (kind === "delay" || kind === "lost") && route !== "GET /v1/customers";
      expect((await stored(one)) !== before).toBe(isWorkDone);

      const isKeyUsed = isWorkDone && route === "POST /v1/refunds";
      expect((await send()).status).toBe(isKeyUsed ? 409 : status);
    },
  );
});
