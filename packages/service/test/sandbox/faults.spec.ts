import { describe, expect, it } from "vitest";
import { faultRoutes, type FaultRoute } from "../../src/sandbox/faults.ts";
import {
  openReceiver,
  refusal,
  SECRET,
  shareSandbox,
  TOKEN,
  usd,
  type Answer,
  type Body,
  type TestSandbox,
} from "./open-sandbox.ts";
import { rowsOf } from "./routes.ts";

const open = shareSandbox();
const INJECTED = "503 INJECTED_FAULT";

const put = (one: TestSandbox, faults: readonly object[]) =>
  one.call("PUT", "/sandbox/faults", { json: { faults } });
/** The end of a call: its status, its refusal, or `reset`. */
const ending = (call: Promise<Answer>): Promise<string> =>
  call.then(
    (answer) => (answer.status < 400 ? String(answer.status) : refusal(answer)),
    (error: unknown) => (/ECONNRESET|hang up/.test(String(error)) ? "reset" : String(error)),
  );

/** A call of each route that changes something if it can. */
async function callsOf(
  one: TestSandbox,
  requestKey: string,
): Promise<Record<FaultRoute, () => Promise<Answer>>> {
  const { customers, payments } = one.seeded;
  const subscriptionId = await one.subscribe("https://merchant.example/first");
  const refund = { paymentId: payments.settled, amount: usd(1), requestKey };
  const subscriptionDetails = { type: "ALL" };
  const subscription = { url: "https://merchant.example/", secretKey: SECRET, subscriptionDetails };
  const unsubscription = { json: { subscriptionId, subscriptionDetails } };
  const path = `/v1/webhook/unsubscribe/${subscriptionId}`;
  return {
    "POST /v1/refunds": () => one.post("/v1/refunds", refund),
    "GET /v1/customers": () => one.call("GET", `/v1/customers/${customers.active}`),
    "POST /v1/webhook/subscribe": () => one.post("/v1/webhook/subscribe", subscription),
    "PUT /v1/webhook/unsubscribe": () => one.call("PUT", path, unsubscription),
  };
}

describe("a fault", () => {
  it.each(faultRoutes)(
    "on %s happens once and does its work or not, by its kind",
    async (route) => {
      const more = { status: { status: 503 }, delay: { delayMs: 20 }, reset: {}, lost: {} };
      const one = await open();
      const stored = async () => JSON.stringify(await rowsOf(one, one.merchantId));
      for (const kind of ["status", "delay", "reset", "lost"] as const) {
        const send = (await callsOf(one, `key-${kind}`))[route];
        const success = route === "POST /v1/refunds" ? "201" : "200";
        await put(one, [{ route, kind, ...more[kind] }]);
        const before = await stored();
        const expected = { status: INJECTED, delay: success, reset: "reset", lost: "reset" };
        const started = performance.now();
        expect([kind, await ending(send())]).toEqual([kind, expected[kind]]);
        if (kind === "delay") expect(performance.now() - started).toBeGreaterThanOrEqual(19);
        // Reading a customer changes nothing in any case.
        const isWorkDone = (kind === "delay" || kind === "lost") && route !== "GET /v1/customers";
        expect([kind, (await stored()) !== before]).toEqual([kind, isWorkDone]);
        const again = await send();
        const isKeyUsed = isWorkDone && route === "POST /v1/refunds";
        expect([kind, String(again.status)]).toEqual([kind, isKeyUsed ? "409" : success]);
        if (isKeyUsed) expect(again.body).toMatchObject({ existing: { sameRequest: true } });
      }
    },
  );

  it("of kind status answers the given number of calls, with Retry-After, before the next fault", async () => {
    const one = await open();
    const route = "POST /v1/refunds";
    const fault = { route, kind: "status", status: 503, retryAfterSeconds: 7, times: 2 };
    const next = { route, kind: "status", status: 502 };
    expect(await put(one, [fault, next])).toMatchObject({ body: { faults: [fault, next] } });
    for (const left of [[next, { ...fault, times: 1 }], [next]]) {
      const answer = await one.refund("key-1");
      expect([refusal(answer), answer.headers["retry-after"]]).toEqual([INJECTED, "7"]);
      expect(await one.list("/sandbox/faults")).toMatchObject(left);
    }
    await one.post("/sandbox/reset");
    expect(await one.list("/sandbox/faults")).toEqual([]);
  });

  it("affects its own route and its own namespace only", async () => {
    const one = await open();
    const token = await one.addNamespace();
    await put(one, [{ route: "PUT /v1/webhook/unsubscribe", kind: "status", status: 503 }]);
    expect((await one.refund("key-1")).status).toBe(201);
    const json = { subscriptionId: "sub_none", subscriptionDetails: { type: "ALL" } };
    const unsubscribe = async (sent: object) =>
      refusal(await one.call("PUT", "/v1/webhook/unsubscribe", { json, ...sent }));
    expect(await unsubscribe({ token })).toBe("404 SUBSCRIPTION_NOT_FOUND");
    expect(await unsubscribe({ token: null })).toMatch(/^401 /);
    expect(await unsubscribe({})).toBe(INJECTED);
  });

  it("is rejected if a member is missing, malformed or of another kind", async () => {
    const one = await open();
    const route = "POST /v1/refunds";
    for (const [fault, member] of [
      [{ kind: "reset" }, "route MISSING_MEMBER"],
      [{ route: "GET /", kind: "reset" }, "route INVALID_VALUE"],
      [{ route: "attempts", kind: "reset" }, "route INVALID_VALUE"],
      [{ route, kind: "status" }, "status INVALID_VALUE"],
      [{ route, kind: "status", status: 200 }, "status INVALID_VALUE"],
      [{ route, kind: "reset", status: 500 }, "status INVALID_VALUE"],
      [{ route, kind: "delay" }, "delayMs INVALID_VALUE"],
      [{ route, kind: "lost", times: 0 }, "times INVALID_VALUE"],
      [{ route, kind: "lost", retryAfterSeconds: 1 }, "retryAfterSeconds INVALID_VALUE"],
      [{ route, kind: "lost", eventId: "evt_1" }, "eventId INVALID_VALUE"],
    ] as const)
      expect(refusal(await put(one, [fault]))).toBe(`400 INVALID_REQUEST, /faults/0/${member}`);
  });
});

describe("a fault on attempts", () => {
  const impatient = shareSandbox({ delivery: { deadlineMs: 60 } });
  const inspected = shareSandbox({ inspector: { token: TOKEN, key: "key-of-this-run" } });

  it("of an outage affects its own event only", async () => {
    const one = await inspected();
    const { url } = await openReceiver(204);
    await one.subscribe(url);
    const { body } = await one.post("/sandbox/inspect/outage", { type: "account.linked" });
    await one.emit();
    await one.move({ advance: "PT0S" });
    expect(await one.list("/sandbox/faults")).toMatchObject([{ eventId: body["id"], times: 1 }]);
    await one.move({ advance: "PT10M" });
    const deliveries = await one.list("/sandbox/deliveries");
    const statuses = deliveries.map(({ attempts }) =>
      (attempts as Body[]).map((at) => at["status"]),
    );
    expect(statuses).toEqual([[500, 500, 204], [204]]);
    expect(await one.list("/sandbox/faults")).toEqual([]);
  });

  it("of more than 100 outages are those of the latest 100", async () => {
    const one = await inspected();
    const ids: unknown[] = [];
    for (let count = 0; count < 101; count += 1)
      ids.push((await one.post("/sandbox/inspect/outage", { type: "account.linked" })).body["id"]);
    const faults = await one.list("/sandbox/faults");
    const kept = faults.map(({ eventId }) => eventId);
    expect(kept).toEqual(ids.slice(1).toReversed());
  });

  it.each([
    [{ kind: "status", status: 410 }, { status: 410, error: null, answer: "INJECTED_FAULT" }, 0],
    [{ kind: "reset" }, { status: null, error: "CS_ATTEMPT_CONNECTION_LOST" }, 0],
    [{ kind: "lost" }, { status: null, error: "CS_ATTEMPT_CONNECTION_LOST" }, 1],
    [{ kind: "delay", delayMs: 20 }, { status: 204, error: null }, 1],
    [{ kind: "delay", delayMs: 60 }, { status: null, error: "CS_ATTEMPT_TIMEOUT" }, 0],
  ])(
    "%j is recorded as %j, the receiver gets %d requests, and other namespaces none of it",
    async (fault, recorded, arrived) => {
      const next = recorded.error === "CS_ATTEMPT_TIMEOUT" ? impatient : open;
      const [one, other] = [await next(), await next()];
      const receiver = await openReceiver(204);
      await one.subscribe(receiver.url);
      for (const each of [one, other])
        expect((await put(each, [{ route: "attempt", ...fault }])).status).toBe(200);
      await one.emit();
      const attempts = async () =>
        (await one.list("/sandbox/deliveries")).flatMap(
          (delivery) => delivery["attempts"] as Body[],
        );
      await expect.poll(attempts).toMatchObject([recorded]);
      expect(receiver.arrived).toHaveLength(arrived);
      expect(await one.list("/sandbox/faults")).toEqual([]);
      expect(await other.list("/sandbox/faults")).toHaveLength(1);
    },
  );
});
