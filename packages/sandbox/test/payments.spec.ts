import { profiles } from "@countersign/schemas/profiles";
import { standardWebhooks } from "@countersign/signatures";
import { describe, expect, it } from "vitest";
import { openReceiver, openSandbox, refusal, SECRET, type TestSandbox } from "./open-sandbox.ts";

const amount = (value: number) => ({ currency: "USD", value });
const customerOf = (one: TestSandbox) => one.opened.seeded?.customers.active;
const paymentsOf = (one: TestSandbox) => {
  if (one.opened.seeded === undefined) throw new Error("the seed was not sown");
  return one.opened.seeded.payments;
};

describe("a payment of the sandbox", () => {
  it("keeps its amount to the cent, with two digits in the text", async () => {
    const one = await openSandbox();
    const text = `{"customerId":"${customerOf(one)}","amount":{"currency":"USD","value":10.5},"clientReferenceId":"order 7"}`;
    const made = await one.call("POST", "/sandbox/payments", { text });
    expect(made).toMatchObject({
      status: 201,
      body: {
        direction: "DEBIT",
        paymentStatus: "CREATED",
        covered: false,
        clientReferenceId: "order 7",
      },
    });
    expect(made.text).toContain('"value":10.50');
  });

  it.each([
    ["three digits", '{"currency":"USD","value":1.005}', { "/amount/value": "INVALID_AMOUNT" }],
    ["an exponent", '{"currency":"USD","value":1e2}', { "/amount/value": "INVALID_AMOUNT" }],
    ["zero", '{"currency":"USD","value":0}', { "/amount/value": "INVALID_AMOUNT" }],
    ["text", '{"currency":"USD","value":"1"}', { "/amount/value": "INVALID_AMOUNT" }],
    ["euros", '{"currency":"EUR","value":1}', { "/amount/currency": "UNSUPPORTED_CURRENCY" }],
    ["nothing", "{}", { "/amount/currency": "MISSING_MEMBER", "/amount/value": "MISSING_MEMBER" }],
  ])("is refused an amount of %s", async (_, written, members) => {
    const one = await openSandbox();
    const text = `{"customerId":"${customerOf(one)}","amount":${written}}`;
    const answer = await one.call("POST", "/sandbox/payments", { text });
    expect(refusal(answer)).toMatchObject({ status: 400, members });
  });

  it("T-15 is of no other amount than the profile takes, at its bounds and a cent beyond", async () => {
    const { standard } = profiles;
    const bounds = { minimumCents: 100, maximumCents: 500_000, strings: "accept" } as const;
    const one = await openSandbox({
      profile: { ...standard, amount: { ...standard.amount, ...bounds } },
    });
    const statusOf = async (value: string): Promise<number> => {
      const text = `{"customerId":"${customerOf(one)}","amount":{"currency":"USD","value":${value}}}`;
      return (await one.call("POST", "/sandbox/payments", { text })).status;
    };
    const values = ["0.99", "1", "5000.00", "5000.01", '"1.00"', '"0.99"', '"one"'];
    const statuses = await Promise.all(values.map(statusOf));
    expect(statuses).toEqual([400, 201, 201, 400, 201, 400, 400]);
  });

  it("is refused for a customer without an account, and for nobody (S 1)", async () => {
    const one = await openSandbox();
    const pay = async (customerId: string | undefined) =>
      refusal(
        await one.call("POST", "/sandbox/payments", { json: { customerId, amount: amount(1) } }),
      );
    expect(await pay(one.opened.seeded?.customers.created)).toEqual({
      status: 422,
      code: "CUSTOMER_NOT_LINKED",
    });
    expect(await pay("cus_none")).toEqual({ status: 404, code: "CUSTOMER_NOT_FOUND" });
    expect(await pay(undefined)).toMatchObject({ members: { "/customerId": "MISSING_MEMBER" } });
  });

  it("is authorized and settled, and not failed twice in two ways", async () => {
    const one = await openSandbox();
    const path = `/sandbox/payments/${paymentsOf(one).processing}`;
    expect((await one.call("POST", `${path}/authorize`)).body).toMatchObject({
      paymentStatus: "AUTHORIZED",
    });
    const settled = await one.call("POST", `${path}/settle`);
    expect(settled.body).toMatchObject({ paymentStatus: "SUCCEEDED" });
    expect(settled.body["settlementDate"]).toBe(
      (await one.call("GET", "/sandbox/clock")).body["now"],
    );
    expect((await one.call("POST", `${path}/settle`)).body).toEqual(settled.body);
    expect(
      refusal(await one.call("POST", `${path}/fail`, { json: { status: "CANCELED" } })),
    ).toEqual({
      status: 409,
      code: "INVALID_TRANSITION",
    });
    expect((await one.call("POST", `${path}/fail`)).body).toMatchObject({
      paymentStatus: "TERMINAL_FAILED",
    });
    expect(refusal(await one.call("POST", "/sandbox/payments/pay_none/settle"))).toMatchObject({
      status: 404,
    });
  });

  it("returns a refund only where the profile knows late returns", async () => {
    const ask = async (one: TestSandbox) => {
      const json = { paymentId: paymentsOf(one).settled, amount: amount(1), requestKey: "key-1" };
      const { body } = await one.call("POST", "/v1/refunds", { json });
      return one.call("POST", `/sandbox/payments/${String(body["paymentId"])}/return`);
    };
    expect(refusal(await ask(await openSandbox()))).toEqual({
      status: 422,
      code: "LATE_RETURN_UNSUPPORTED",
    });
    const { standard } = profiles;
    const profile = { ...standard, refund: { ...standard.refund, lateReturn: true } };
    expect((await ask(await openSandbox({ profile }))).body).toMatchObject({
      paymentStatus: "TERMINAL_FAILED",
      errorDetails: { errorCode: "REFUND_RETURNED" },
    });
  });
});

describe("a refund in the sandbox (S 3.1)", () => {
  it("waits three business days of the namespace's clock, and its event arrives signed", async () => {
    const one = await openSandbox();
    const receiver = await openReceiver();
    // A Friday before a holiday on Monday, 16 February 2026: Tuesday, Wednesday, Thursday.
    const token = await one.addNamespace({ now: "2026-02-13T20:00:00.000Z" });
    await one.subscribe(receiver.url, { token });
    const call = (path: string, json: object) => one.call("POST", path, { token, json });
    const { body: customer } = await call("/sandbox/customers", {});
    await call(`/sandbox/customers/${String(customer["id"])}/link`, {});
    const { body: payment } = await call("/sandbox/payments", {
      customerId: customer["id"],
      amount: amount(80),
    });
    await call(`/sandbox/payments/${String(payment["paymentId"])}/settle`, {});
    const refund = await call("/v1/refunds", {
      paymentId: payment["paymentId"],
      amount: amount(10.5),
      requestKey: "key-1",
    });
    expect(refund).toMatchObject({ status: 201, body: { paymentStatus: "PENDING" } });
    const shown = async () =>
      (await one.list("/sandbox/payments", { token })).find(
        ({ direction }) => direction === "CREDIT",
      );
    expect(await shown()).toMatchObject({
      paymentStatus: "PENDING",
      eligibleAt: "2026-02-19T05:00:00.000Z",
    });

    const moveTo = (now: string) => one.call("PUT", "/sandbox/clock", { token, json: { now } });
    await moveTo("2026-02-19T04:59:59.999Z");
    expect(await shown()).toMatchObject({ paymentStatus: "PENDING" });
    expect(receiver.arrived.map(({ type }) => type)).not.toContain("refund.authorized");
    const moved = await moveTo("2026-02-19T05:00:00.000Z");
    expect(moved.body).toMatchObject({ instants: ["2026-02-19T05:00:00.000Z"] });
    expect(await shown()).toMatchObject({ paymentStatus: "AUTHORIZED", eligibleAt: null });

    // The move has waited for the attempt.
    const last = receiver.arrived.at(-1);
    if (last === undefined) throw new Error("nothing arrived");
    expect(JSON.parse(last.body.toString())).toMatchObject({
      type: "refund.authorized",
      timestamp: "2026-02-19T05:00:00.000Z",
      data: { paymentId: refund.body["paymentId"], paymentStatus: "AUTHORIZED" },
    });
    const verification = standardWebhooks().verify(last, [{ raw: SECRET }], { now: Date.now() });
    expect(verification).toMatchObject({ ok: true });
  });

  it("fails when the debit fails or is covered while it waits", async () => {
    for (const move of ["fail", "cover"]) {
      const one = await openSandbox();
      const { processing } = paymentsOf(one);
      const json = { paymentId: processing, amount: amount(5), requestKey: "key-1" };
      await one.call("POST", "/v1/refunds", { json });
      expect((await one.call("POST", `/sandbox/payments/${processing}/${move}`)).status).toBe(200);
      const refunds = (await one.list("/sandbox/payments")).filter(
        ({ direction }) => direction === "CREDIT",
      );
      expect(refunds).toMatchObject([
        { paymentStatus: "TERMINAL_FAILED", errorDetails: { errorCode: "CUSTOMER_NOT_DEBITED" } },
      ]);
    }
  });
});
