import { describe, expect, it } from "vitest";
import {
  openReceiver,
  openSandbox,
  shareSandbox,
  START,
  usd,
  type TestSandbox,
} from "./open-sandbox.ts";

const open = shareSandbox();

const LISTS = ["customers", "payments", "events", "deliveries", "subscriptions"];

async function expectEmpty(one: TestSandbox, token?: string): Promise<void> {
  for (const name of LISTS)
    expect([name, await one.list(`/sandbox/${name}`, token)]).toEqual([name, []]);
}

/** The calls of a test in its own namespace and their results, without ids. */
async function check(one: TestSandbox, url: string): Promise<unknown> {
  const token = await one.addNamespace(START);
  const post = async (path: string, json: object = {}) => (await one.post(path, json, token)).body;
  const seen: unknown[] = [];
  const see = async (name: string, members: readonly string[]) => {
    const entries = await one.list(`/sandbox/${name}`, token);
    seen.push(entries.map((entry) => members.map((member) => entry[member]).join(" ")).toSorted());
  };
  for (const round of [1, 2]) {
    const customerId = String((await post("/sandbox/customers"))["id"]);
    await post(`/sandbox/customers/${customerId}/link`);
    await one.subscribe(url, token);
    const { paymentId } = await post("/sandbox/payments", { customerId, amount: usd(10) });
    await post(`/sandbox/payments/${String(paymentId)}/settle`);
    const faults = [{ route: "POST /v1/refunds", kind: "status", status: 503 }];
    await one.call("PUT", "/sandbox/faults", { token, json: { faults } });
    const refund = () => one.refund("one-key", String(paymentId), token);
    seen.push((await refund()).status, (await refund()).body["paymentStatus"]);
    seen.push((await one.move({ advance: "P7D" }, token)).body);
    await see("events", ["type", "timestamp"]);
    await see("deliveries", ["type", "state"]);
    await post("/sandbox/reset", { now: START });
    seen.push(round, await one.list("/sandbox/events", token));
  }
  return seen;
}

describe("a namespace", () => {
  it("sees no clock, fault or reset of seven concurrent others", async () => {
    const one = await open();
    const receiver = await openReceiver(204);
    const [first, ...others] = await Promise.all(
      Array.from({ length: 8 }, () => check(one, receiver.url)),
    );
    expect(first).toContain("PENDING");
    for (const seen of others) expect(seen).toEqual(first);
  });

  it("has its own clock, frozen until it is moved, and sees no records of another", async () => {
    const one = await open();
    const token = await one.addNamespace(START);
    const clock = async (as?: string) =>
      (await one.call("GET", "/sandbox/clock", as === undefined ? {} : { token: as })).body;
    const before = await clock();
    expect(await clock(token)).toEqual({ now: START });
    const moved = await one.move({ advance: "P1D" }, token);
    expect(moved.body).toEqual({ now: "2026-03-03T15:00:00.000Z", instants: [] });
    expect(await clock()).toEqual(before);
    await expectEmpty(one, token);
    await one.post("/sandbox/reset", {}, token);
    expect(await one.list("/sandbox/payments")).toHaveLength(4);
  });

  it("has a client that gets tokens", async () => {
    const one = await open();
    const { body } = await one.post("/sandbox/merchants", { name: "Other" });
    const { merchantId, clientId: client_id, clientSecret: client_secret } = body;
    const json = { grant_type: "client_credentials", client_id, client_secret };
    const granted = await one.call("POST", "/v1/tokens", { token: null, json });
    const merchants = await one.list("/sandbox/merchants", String(granted.body["access_token"]));
    expect(merchants).toMatchObject([{ merchantId }]);
  });

  it("is empty after a reset, also during a move, with its clock set and its token kept", async () => {
    const one = await open();
    const receiver = await openReceiver(500);
    await one.subscribe(receiver.url);
    await one.emit();
    await receiver.hasArrived(1);
    const moving = one.move({ advance: "P4D" });
    const reset = await one.post("/sandbox/reset", { now: START });
    expect((await moving).status).toBe(200);
    expect(reset).toMatchObject({ status: 200, body: { now: START } });
    await expectEmpty(one);
    expect((await one.call("GET", "/sandbox/clock")).body).toEqual({ now: START });
    expect((await one.post("/sandbox/customers")).status).toBe(201);
  });
});

describe("a seed", () => {
  it("makes the same ids in another database, and other secrets", async () => {
    const [one, other] = [await openSandbox(), await openSandbox()];
    const { clientSecret: first, ...ids } = one.seeded;
    const { clientSecret: second, ...same } = other.seeded;
    expect(ids).toEqual(same);
    expect(first).not.toBe(second);
  });

  it("makes customers and payments for every state of a refund", async () => {
    const one = await open();
    const { customers, payments } = one.seeded;
    const shown = (await one.list("/sandbox/customers")).map((customer) => [
      customer["id"],
      customer["customerStatus"],
      customer["accountDetails"] !== undefined,
    ]);
    expect(shown).toContainEqual([customers.active, "ACTIVE", true]);
    expect(shown).toContainEqual([customers.created, "CREATED", false]);
    expect(shown).toContainEqual([customers.inactive, "INACTIVE", true]);
    const refund = async (id: string) => (await one.refund(`key-${id}`, id)).body["paymentStatus"];
    expect(await refund(payments.settled)).toBe("AUTHORIZED");
    expect(await refund(payments.recent)).toBe("PENDING");
    expect(await refund(payments.processing)).toBe("PENDING");
    expect(await refund(payments.failed)).toBe("TERMINAL_FAILED");
  });
});
