import { describe, expect, it } from "vitest";
import { openReceiver, openSandbox, refusal } from "./open-sandbox.ts";
import { SOON } from "./soon.ts";

const START = "2026-03-02T15:00:00.000Z";

describe("a namespace", () => {
  it("has a clock of its own, which stands until it is moved", async () => {
    const one = await openSandbox();
    const token = await one.addNamespace({ now: START });
    const before = (await one.call("GET", "/sandbox/clock")).body;
    expect((await one.call("GET", "/sandbox/clock", { token })).body).toEqual({ now: START });
    const moved = await one.call("PUT", "/sandbox/clock", { token, json: { advance: "P1D" } });
    expect(moved.body).toEqual({ now: "2026-03-03T15:00:00.000Z", instants: [] });
    expect((await one.call("GET", "/sandbox/clock")).body).toEqual(before);
  });

  it("sees and empties nothing of another one", async () => {
    const one = await openSandbox();
    const token = await one.addNamespace();
    for (const path of ["customers", "payments", "events", "deliveries", "subscriptions"]) {
      expect([path, await one.list(`/sandbox/${path}`, { token })]).toEqual([path, []]);
    }
    const payment = one.opened.seeded?.payments.recent ?? "";
    const foreign = await one.call("POST", `/sandbox/payments/${payment}/fail`, { token });
    expect(refusal(foreign)).toEqual({ status: 404, code: "PAYMENT_NOT_FOUND" });
    await one.call("POST", "/sandbox/reset", { token });
    expect(await one.list("/sandbox/payments")).toHaveLength(4);
  });

  it("has a client that gets tokens of the interface", async () => {
    const one = await openSandbox();
    const { body } = await one.call("POST", "/sandbox/merchants", { json: { name: "Other" } });
    const { clientId, clientSecret } = body as { clientId: string; clientSecret: string };
    const granted = await one.call("POST", "/v1/tokens", {
      token: null,
      text: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: clientId,
        client_secret: clientSecret,
      }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(granted.status).toBe(200);
    const token = String(granted.body["access_token"]);
    const { body: mine } = await one.call("GET", "/sandbox/merchants", { token });
    expect(mine).toMatchObject({ merchants: [{ merchantId: body["merchantId"] }] });
  });

  it("is emptied by a reset, its clock set and its token kept", async () => {
    const one = await openSandbox();
    const receiver = await openReceiver(500);
    await one.subscribe(receiver.url);
    await one.call("POST", "/sandbox/customers");
    await expect.poll(() => receiver.arrived.length, SOON).toBe(1);
    const answer = await one.call("POST", "/sandbox/reset", { json: { now: START } });
    expect(answer).toMatchObject({ status: 200, body: { now: START } });
    for (const path of ["customers", "payments", "events", "deliveries", "subscriptions"]) {
      expect([path, await one.list(`/sandbox/${path}`)]).toEqual([path, []]);
    }
    expect((await one.call("GET", "/sandbox/clock")).body).toEqual({ now: START });
    expect((await one.call("POST", "/sandbox/customers")).status).toBe(201);
  });

  it("can be reset while its clock is moved, and ends empty", async () => {
    const one = await openSandbox();
    const receiver = await openReceiver(500);
    await one.subscribe(receiver.url);
    await one.call("POST", "/sandbox/customers");
    const moving = one.call("PUT", "/sandbox/clock", { json: { advance: "P4D" } });
    const reset = await one.call("POST", "/sandbox/reset", { json: { now: START } });
    expect((await moving).status).toBe(200);
    expect(reset.status).toBe(200);
    expect((await one.call("GET", "/sandbox/clock")).body).toEqual({ now: START });
    expect(await one.list("/sandbox/deliveries")).toEqual([]);
  });
});

describe("a seed", () => {
  it("makes the same ids in another database, and other secrets", async () => {
    const [one, other] = [await openSandbox(), await openSandbox()];
    const { clientSecret: first, ...ids } = one.opened.seeded ?? {};
    const { clientSecret: second, ...same } = other.opened.seeded ?? {};
    expect(ids).toEqual(same);
    expect(first).not.toBe(second);
  });

  it("has what every state of a refund needs", async () => {
    const one = await openSandbox();
    const { customers, payments } = one.opened.seeded ?? {};
    const shown = await one.list("/sandbox/customers");
    const statuses = shown.map(({ id, customerStatus, accountDetails }) => [
      id,
      customerStatus,
      accountDetails !== undefined,
    ]);
    expect(statuses).toEqual(
      expect.arrayContaining([
        [customers?.active, "ACTIVE", true],
        [customers?.created, "CREATED", false],
        [customers?.inactive, "INACTIVE", true],
      ]),
    );
    const refund = async (paymentId: string | undefined) => {
      const json = {
        paymentId,
        amount: { currency: "USD", value: 1 },
        requestKey: `key-${paymentId}`,
      };
      return (await one.call("POST", "/v1/refunds", { json })).body["paymentStatus"];
    };
    expect(await refund(payments?.settled)).toBe("AUTHORIZED");
    expect(await refund(payments?.recent)).toBe("PENDING");
    expect(await refund(payments?.processing)).toBe("PENDING");
    expect(await refund(payments?.failed)).toBe("TERMINAL_FAILED");
  });
});
