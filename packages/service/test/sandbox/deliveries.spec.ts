import { join } from "node:path";
import { profiles } from "@countersign/schemas/profiles";
import { reference } from "@countersign/schemas/providers";
import { sqliteDriver } from "../../src/store/sqlite/driver.ts";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import {
  openReceiver,
  openSandbox,
  shareSandbox,
  refusal,
  type TestSandbox,
  SECRET,
} from "./open-sandbox.ts";

const open = shareSandbox();

const stateOf = (one: TestSandbox) => async () =>
  (await one.list("/sandbox/deliveries"))[0]?.["state"];

describe("a delivery of the sandbox", () => {
  it("is listed with its attempts, by event and by subscription", async () => {
    const one = await open();
    const [failing, working] = [await openReceiver(503), await openReceiver(204)];
    const keys = [await one.subscribe(failing.url), await one.subscribe(working.url)];
    const { body } = await one.emit();
    const eventId = String(body["id"]);
    await one.emit();
    const list = (query = "") => one.list(`/sandbox/deliveries${query}`);
    const states = async (query?: string) =>
      (await list(query)).map(({ state }) => String(state)).toSorted();
    await expect.poll(() => states()).toEqual(["delivered", "delivered", "waiting", "waiting"]);
    expect(await states(`?eventId=${eventId}`)).toEqual(["delivered", "waiting"]);
    expect(await states(`?subscriptionKey=${keys[0]}`)).toEqual(["waiting", "waiting"]);
    const attempts = [{ number: 1, status: 503, error: null, answer: "" }];
    expect(await list(`?eventId=${eventId}&subscriptionKey=${keys[0]}`)).toMatchObject([
      { eventId, type: "customer.created", subscriptionKey: keys[0], attempts },
    ]);
    expect((await one.call("GET", "/sandbox/subscriptions")).text).not.toMatch(/secret/i);
  });

  it("is replayed at once with the same id and body", async () => {
    const one = await open();
    // As many failures as the schedule has attempts, then a receiver that works again.
    const receiver = await openReceiver(...Array.from({ length: 10 }, () => 500), 204);
    const key = await one.subscribe(receiver.url);
    await one.emit();
    await one.move({ advance: "P7D" });
    const [given] = await one.list("/sandbox/deliveries");
    expect(given).toMatchObject({ state: "exhausted" });
    const path = `/sandbox/deliveries/${String(given?.["deliveryId"])}/replay`;
    expect(await one.post(path)).toMatchObject({ status: 202, body: { state: "waiting" } });
    await receiver.hasArrived(11);
    await expect.poll(stateOf(one)).toBe("delivered");
    const [first, last] = [receiver.arrived[0], receiver.arrived.at(-1)];
    expect(last?.body).toEqual(first?.body);
    expect(last?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    const { body: resumed } = await one.post(`/sandbox/subscriptions/${key}/resume`);
    expect(resumed).toMatchObject({ status: "ACTIVE", consecutiveFailures: 0 });
    const unknown = await one.post("/sandbox/subscriptions/sub_none/resume");
    expect(refusal(unknown)).toBe("404 SUBSCRIPTION_NOT_FOUND");
  });
});

it("[P-SUBSCRIBE-NEW-TYPES] delivers a type added later to a category and to ALL, not to named types", async () => {
  const added = "payment.canceled";
  const file = join(temporaryFolder(), "sandbox.db");
  const { standard } = profiles;
  const { catalogue: all = [] } = reference;
  const provider = { ...reference, catalogue: all.filter(({ type }) => type !== added) };
  const old = await openSandbox({
    driver: sqliteDriver(file),
    profile: { ...standard, provider },
  });
  const expected = [
    [{ type: "ALL" }, ["customer.created", added, "payment.created"]],
    [{ type: "CATEGORY", details: ["PAYMENT"] }, [added, "payment.created"]],
    [{ type: "CATEGORY", details: ["CUSTOMER"] }, ["customer.created"]],
    [{ type: "EVENT", details: ["payment.created"] }, ["payment.created"]],
  ] as const;
  const receivers = await Promise.all(expected.map(() => openReceiver()));
  for (const [place, [subscriptionDetails]] of expected.entries()) {
    const json = { url: receivers[place]?.url, secretKey: SECRET, subscriptionDetails };
    expect((await old.post("/v1/webhook/subscribe", json)).status).toBe(200);
  }
  expect((await old.emit(added)).status).toBe(400);
  await old.sandbox.close();

  const now = await openSandbox({ driver: sqliteDriver(file), profile: standard });
  // Deliveries of one event are written together: whoever got the later ones was passed over by this one.
  for (const type of [added, "payment.created", "customer.created"])
    expect((await now.emit(type)).status).toBe(201);
  for (const [place, [, types]] of expected.entries())
    await expect
      .poll(() => receivers[place]?.arrived.map(({ type }) => type).toSorted())
      .toEqual(types);
});
