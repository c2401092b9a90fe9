import { describe, expect, it } from "vitest";
import { openReceiver, openSandbox, refusal, SOON, type TestSandbox } from "./open-sandbox.ts";

const stateOf = (one: TestSandbox) => async () =>
  (await one.list("/sandbox/deliveries"))[0]?.["state"];

describe("a delivery of the sandbox", () => {
  it("is listed with its attempts, by event and by subscription", async () => {
    const one = await openSandbox();
    const [failing, working] = [await openReceiver(503), await openReceiver(204)];
    const keys = [await one.subscribe(failing.url), await one.subscribe(working.url)];
    const { body } = await one.emit();
    const eventId = String(body["id"]);
    await one.emit();
    const list = (query = "") => one.list(`/sandbox/deliveries${query}`);
    const states = async (query?: string) =>
      (await list(query)).map(({ state }) => String(state)).toSorted();
    await expect
      .poll(() => states(), SOON)
      .toEqual(["delivered", "delivered", "waiting", "waiting"]);
    expect(await states(`?eventId=${eventId}`)).toEqual(["delivered", "waiting"]);
    expect(await states(`?subscriptionKey=${keys[0]}`)).toEqual(["waiting", "waiting"]);
    const attempts = [{ number: 1, status: 503, error: null, answer: "" }];
    expect(await list(`?eventId=${eventId}&subscriptionKey=${keys[0]}`)).toMatchObject([
      { eventId, type: "customer.created", subscriptionKey: keys[0], attempts },
    ]);
  });

  it("is replayed at once with the same id and body, whatever its state", async () => {
    const one = await openSandbox();
    const receiver = await openReceiver(204);
    await one.subscribe(receiver.url);
    await one.emit();
    await expect.poll(stateOf(one), SOON).toBe("delivered");
    const [delivery] = await one.list("/sandbox/deliveries");
    const path = `/sandbox/deliveries/${String(delivery?.["deliveryId"])}/replay`;
    expect(await one.post(path)).toMatchObject({ status: 202, body: { state: "waiting" } });
    await receiver.hasArrived(2);
    const [first, second] = receiver.arrived;
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    await expect
      .poll(async () => (await one.list("/sandbox/deliveries"))[0], SOON)
      .toMatchObject({ state: "delivered", attempts: [{ number: 1 }, { number: 2 }] });
  });

  it("is replayed with its subscription, or with all that failed since a time", async () => {
    const one = await openSandbox();
    // As many failures as the schedule has attempts, then a receiver that works again.
    const receiver = await openReceiver(...Array.from({ length: 10 }, () => 500), 204);
    const key = await one.subscribe(receiver.url);
    await one.emit();
    await one.move({ advance: "P7D" });
    const [given] = await one.list("/sandbox/deliveries");
    expect(given).toMatchObject({ state: "exhausted" });
    const since = (failedSince: unknown) => one.post("/sandbox/deliveries/replay", { failedSince });
    const { body: clock } = await one.call("GET", "/sandbox/clock");
    expect(await since(clock["now"])).toMatchObject({ status: 202, body: { replayed: 0 } });
    expect(await since(given?.["createdAt"])).toMatchObject({ status: 202, body: { replayed: 1 } });
    await receiver.hasArrived(11);
    await expect.poll(stateOf(one), SOON).toBe("delivered");
    const replay = (subscription: string) =>
      one.post(`/sandbox/subscriptions/${subscription}/replay`);
    expect(await replay(key)).toMatchObject({ status: 202, body: { replayed: 1 } });
    await receiver.hasArrived(12);
    expect(refusal(await since("yesterday"))).toMatch(/^400 /);
    expect(refusal(await one.post("/sandbox/deliveries/replay"))).toMatch(/^400 /);
    expect(refusal(await replay("sub_none"))).toBe("404 SUBSCRIPTION_NOT_FOUND");
  });

  it("is not replayed if it does not exist or its receiver answered 410", async () => {
    const one = await openSandbox();
    const replay = async (id: string, token?: string) =>
      refusal(await one.post(`/sandbox/deliveries/${id}/replay`, undefined, token));
    expect(await replay("dlv_none")).toBe("404 DELIVERY_NOT_FOUND");
    const receiver = await openReceiver(410);
    await one.subscribe(receiver.url);
    await one.emit();
    await expect.poll(stateOf(one), SOON).toBe("dropped");
    const [delivery] = await one.list("/sandbox/deliveries");
    const id = String(delivery?.["deliveryId"]);
    expect(await replay(id)).toBe("410 SUBSCRIPTION_CLOSED");
    expect(await replay(id, await one.addNamespace())).toBe("404 DELIVERY_NOT_FOUND");
    await one.emit();
    expect(receiver.arrived).toHaveLength(1);
  });
});

describe("a subscription of the sandbox", () => {
  it("is paused after failures only, delivers what waits once resumed, and hides its secret", async () => {
    const one = await openSandbox({ delivery: { pause: { failures: 2, afterMs: 1000 } } });
    const receiver = await openReceiver(500, 500, 204);
    const key = await one.subscribe(receiver.url);
    await one.emit();
    await receiver.hasArrived(1);
    await one.move({ advance: "P3D" });
    expect(receiver.arrived).toHaveLength(2);
    expect(await one.list("/sandbox/subscriptions")).toMatchObject([
      { subscriptionKey: key, status: "PAUSED", consecutiveFailures: 2, url: receiver.url },
    ]);
    const resume = (token?: string) =>
      one.post(`/sandbox/subscriptions/${key}/resume`, undefined, token);
    expect(refusal(await resume(await one.addNamespace()))).toBe("404 SUBSCRIPTION_NOT_FOUND");
    expect(await resume()).toMatchObject({
      status: 200,
      body: { status: "ACTIVE", consecutiveFailures: 0, failingSince: null },
    });
    await receiver.hasArrived(3);
    await expect
      .poll(async () => (await one.list("/sandbox/subscriptions"))[0]?.["lastSuccessAt"], SOON)
      .not.toBeNull();
    expect((await one.call("GET", "/sandbox/subscriptions")).text).not.toMatch(/secret/i);
  });
});
