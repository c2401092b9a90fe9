import { describe, expect, it } from "vitest";
import { openReceiver, openSandbox, refusal, type TestSandbox } from "./open-sandbox.ts";
import { SOON } from "./soon.ts";

const emit = (one: TestSandbox) =>
  one.call("POST", "/sandbox/events", { json: { type: "customer.created" } });

describe("a delivery of the sandbox", () => {
  it("is shown with its attempts, by event and by subscription", async () => {
    const one = await openSandbox();
    const [failing, working] = [await openReceiver(503), await openReceiver(204)];
    const keys = [await one.subscribe(failing.url), await one.subscribe(working.url)];
    const { body: event } = await emit(one);
    await emit(one);
    const states = async (query: string) =>
      (await one.list(`/sandbox/deliveries${query}`)).map(({ state }) => String(state)).toSorted();
    await expect
      .poll(() => states(""), SOON)
      .toEqual(["delivered", "delivered", "waiting", "waiting"]);
    expect(await states(`?eventId=${String(event["id"])}`)).toEqual(["delivered", "waiting"]);
    expect(await states(`?subscriptionKey=${keys[0]}`)).toEqual(["waiting", "waiting"]);
    expect(
      await one.list(
        `/sandbox/deliveries?eventId=${String(event["id"])}&subscriptionKey=${keys[0]}`,
      ),
    ).toMatchObject([
      {
        eventId: event["id"],
        type: "customer.created",
        subscriptionKey: keys[0],
        attempts: [{ number: 1, status: 503, error: null, answer: "" }],
      },
    ]);
  });

  it("is replayed at once under the same id, whatever became of it", async () => {
    const one = await openSandbox();
    const receiver = await openReceiver(204);
    await one.subscribe(receiver.url);
    await emit(one);
    await expect.poll(() => receiver.arrived.length, SOON).toBe(1);
    const [delivery] = await one.list("/sandbox/deliveries");
    const path = `/sandbox/deliveries/${String(delivery?.["deliveryId"])}/replay`;
    expect(await one.call("POST", path)).toMatchObject({ status: 202, body: { state: "waiting" } });
    await expect.poll(() => receiver.arrived.length, SOON).toBe(2);
    const [first, second] = receiver.arrived;
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    await expect
      .poll(async () => (await one.list("/sandbox/deliveries"))[0], SOON)
      .toMatchObject({
        state: "delivered",
        attempts: [{ number: 1 }, { number: 2 }],
      });
  });

  it("is replayed with all of its subscription, or with all that were given up since a time", async () => {
    const one = await openSandbox();
    // As many failures as the schedule has attempts, then a receiver that works again.
    const receiver = await openReceiver(...Array.from({ length: 10 }, () => 500), 204);
    const key = await one.subscribe(receiver.url);
    await emit(one);
    await one.call("PUT", "/sandbox/clock", { json: { advance: "P7D" } });
    const [given] = await one.list("/sandbox/deliveries");
    expect(given).toMatchObject({ state: "exhausted" });
    const since = (failedSince: unknown) =>
      one.call("POST", "/sandbox/deliveries/replay", { json: { failedSince } });
    const { body: clock } = await one.call("GET", "/sandbox/clock");
    expect(await since(clock["now"])).toMatchObject({ status: 202, body: { replayed: 0 } });
    expect(await since(given?.["createdAt"])).toMatchObject({ status: 202, body: { replayed: 1 } });
    await expect.poll(() => receiver.arrived.length, SOON).toBe(11);
    await expect
      .poll(async () => (await one.list("/sandbox/deliveries"))[0]?.["state"], SOON)
      .toBe("delivered");
    const path = `/sandbox/subscriptions/${key}/replay`;
    expect(await one.call("POST", path)).toMatchObject({ status: 202, body: { replayed: 1 } });
    await expect.poll(() => receiver.arrived.length, SOON).toBe(12);
    expect(refusal(await since("yesterday"))).toMatchObject({ status: 400 });
    expect(refusal(await one.call("POST", "/sandbox/deliveries/replay"))).toMatchObject({
      status: 400,
    });
    expect(refusal(await one.call("POST", "/sandbox/subscriptions/sub_none/replay"))).toEqual({
      status: 404,
      code: "SUBSCRIPTION_NOT_FOUND",
    });
    await one.call("POST", "/sandbox/reset");
  });

  it("is not replayed where there is none, or for a receiver that is gone", async () => {
    const one = await openSandbox();
    expect(refusal(await one.call("POST", "/sandbox/deliveries/dlv_none/replay"))).toEqual({
      status: 404,
      code: "DELIVERY_NOT_FOUND",
    });
    const receiver = await openReceiver(410);
    await one.subscribe(receiver.url);
    await emit(one);
    await expect
      .poll(async () => (await one.list("/sandbox/deliveries"))[0]?.["state"], SOON)
      .toBe("dropped");
    const [delivery] = await one.list("/sandbox/deliveries");
    const path = `/sandbox/deliveries/${String(delivery?.["deliveryId"])}/replay`;
    expect(refusal(await one.call("POST", path))).toEqual({
      status: 410,
      code: "SUBSCRIPTION_CLOSED",
    });
    const token = await one.addNamespace();
    expect(refusal(await one.call("POST", path, { token }))).toMatchObject({
      code: "DELIVERY_NOT_FOUND",
    });
    await emit(one);
    expect(receiver.arrived).toHaveLength(1);
  });
});

describe("a subscription of the sandbox", () => {
  it("is paused when it only fails, and goes on with what waits when it is resumed", async () => {
    const one = await openSandbox({ delivery: { pause: { failures: 2, afterMs: 1000 } } });
    const receiver = await openReceiver(500, 500, 204);
    const key = await one.subscribe(receiver.url);
    await emit(one);
    await expect.poll(() => receiver.arrived.length, SOON).toBe(1);
    await one.call("PUT", "/sandbox/clock", { json: { advance: "P3D" } });
    expect(receiver.arrived).toHaveLength(2);
    expect(await one.list("/sandbox/subscriptions")).toMatchObject([
      { subscriptionKey: key, status: "PAUSED", consecutiveFailures: 2, url: receiver.url },
    ]);
    const resumed = await one.call("POST", `/sandbox/subscriptions/${key}/resume`);
    expect(resumed).toMatchObject({
      status: 200,
      body: { status: "ACTIVE", consecutiveFailures: 0, failingSince: null },
    });
    await expect.poll(() => receiver.arrived.length, SOON).toBe(3);
    await expect
      .poll(async () => (await one.list("/sandbox/subscriptions"))[0]?.["lastSuccessAt"], SOON)
      .not.toBeNull();
  });

  it("never shows its secret", async () => {
    const one = await openSandbox();
    await one.subscribe("https://merchant.example/");
    const { text } = await one.call("GET", "/sandbox/subscriptions");
    expect(text).not.toMatch(/secret/i);
  });

  it("is not resumed where there is none, or where it is another's", async () => {
    const one = await openSandbox();
    const key = await one.subscribe("https://merchant.example/");
    const token = await one.addNamespace();
    const answer = await one.call("POST", `/sandbox/subscriptions/${key}/resume`, { token });
    expect(refusal(answer)).toEqual({ status: 404, code: "SUBSCRIPTION_NOT_FOUND" });
  });
});
