import { describe, expect, it } from "vitest";
import { openReceiver, openSandbox, type TestSandbox } from "./open-sandbox.ts";

const START = "2026-03-02T15:00:00.000Z";

/** What a check does in a namespace of its own, and what it sees there; ids aside. */
async function check(one: TestSandbox, url: string): Promise<unknown> {
  const token = await one.addNamespace({ now: START });
  const post = async (path: string, json: object = {}) =>
    (await one.call("POST", path, { token, json })).body;
  const seen: unknown[] = [];
  for (const round of [1, 2]) {
    const customerId = String((await post("/sandbox/customers"))["id"]);
    await post(`/sandbox/customers/${customerId}/link`);
    await one.subscribe(url, { token });
    const amount = { currency: "USD", value: 10 };
    const paymentId = String(
      (await post("/sandbox/payments", { customerId, amount }))["paymentId"],
    );
    await post(`/sandbox/payments/${paymentId}/settle`);
    const faults = [{ route: "POST /v1/refunds", kind: "status", status: 503 }];
    await one.call("PUT", "/sandbox/faults", { token, json: { faults } });
    const refund = { paymentId, amount, requestKey: "one-key" };
    seen.push((await one.call("POST", "/v1/refunds", { token, json: refund })).status);
    seen.push((await post("/v1/refunds", refund))["paymentStatus"]);
    const moved = await one.call("PUT", "/sandbox/clock", { token, json: { advance: "P7D" } });
    seen.push(moved.body);
    const events = await one.list("/sandbox/events", { token });
    seen.push(
      events.map(({ type, timestamp }) => `${String(type)} ${String(timestamp)}`).toSorted(),
    );
    const deliveries = await one.list("/sandbox/deliveries", { token });
    seen.push(deliveries.map(({ type, state }) => `${String(type)} ${String(state)}`).toSorted());
    await post("/sandbox/reset", { now: START });
    seen.push(round, await one.list("/sandbox/events", { token }));
  }
  return seen;
}

describe("checks that run in namespaces of one sandbox at one time", () => {
  it("see what each sees alone: no clock, fault or reset of another", async () => {
    const one = await openSandbox();
    const receiver = await openReceiver(204);
    const alone = await check(one, receiver.url);
    expect(alone).toContain("PENDING");
    const together = await Promise.all(Array.from({ length: 8 }, () => check(one, receiver.url)));
    for (const seen of together) expect(seen).toEqual(alone);
  });
});
