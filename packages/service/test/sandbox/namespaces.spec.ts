import { describe, expect, it } from "vitest";
import {
  openReceiver,
  openSandbox,
  shareSandbox,
  START,
  type TestSandbox,
} from "./open-sandbox.ts";

const open = shareSandbox();

const LISTS = ["customers", "payments", "events", "deliveries", "subscriptions"];

async function expectEmpty(one: TestSandbox, token?: string): Promise<void> {
  for (const name of LISTS)
    expect([name, await one.list(`/sandbox/${name}`, token)]).toEqual([name, []]);
}

describe("a namespace", () => {
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
    expect((await one.call("GET", "/sandbox/clock")).body).toMatchObject({ now: START });
    expect((await one.post("/sandbox/customers")).status).toBe(201);
    await one.post("/sandbox/reset", { samples: true });
    expect(await one.list("/sandbox/customers")).toHaveLength(3);
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
