import { describe, expect, it } from "vitest";
import { FailingDriver } from "../failing-driver.ts";
import { openService, type TestService } from "../open-service.ts";
import { newPayment } from "../payments.ts";
import { refusal } from "../validated.ts";
import { askCent } from "./payment-states.ts";

const events = async ({ service }: TestService, type: string): Promise<number> => {
  const rows = await service.driver.query("SELECT id FROM events WHERE type = $1", [type]);
  return rows.length;
};

describe("a requestKey", () => {
  it("T-02 is taken for ever: ten years later it is 409 as on the first day", async () => {
    const open = await openService();
    const { service, merchant, clock } = open;
    const paymentId = await newPayment(service, merchant, { requestKey: "the-debit's" });
    expect((await askCent(open, paymentId)).status).toBe(201);
    clock.moveTo("2036-11-20T15:00:00.000Z");
    const duplicate = { status: 409, code: "DUPLICATE_REQUEST_KEY" };
    expect(refusal(await askCent(open, paymentId))).toEqual(duplicate);
    const ofDebit = await askCent(open, paymentId, { requestKey: "the-debit's" });
    expect(refusal(ofDebit)).toEqual(duplicate);
  });
});

describe("refunds that come to be due", () => {
  it("T-34 are told of once, however many sweeps meet and whatever breaks between the writes", async () => {
    let failing: FailingDriver | undefined;
    const open = await openService({ wrap: (driver) => (failing = new FailingDriver(driver)) });
    if (failing === undefined) throw new Error("no driver");
    const { service, merchant, clock } = open;
    const { useCases } = service;
    const paymentIds = [];
    for (let each = 0; each < 5; each += 1) {
      const paymentId = await newPayment(service, merchant);
      paymentIds.push(paymentId);
      await askCent(open, paymentId);
      await useCases.settlePayment(merchant, { paymentId });
    }
    clock.advance(30 * 86_400_000);
    const due = { now: clock.now(), clockId: "live" };
    failing.failCommit = true;
    await expect(useCases.moveDueRefunds(due)).rejects.toThrow("COMMIT failed");
    expect(await events(open, "refund.authorized")).toBe(0);
    failing.failCommit = false;
    for (const failStatement of [1, 2, 3, 4]) {
      failing.failStatement = failStatement;
      await useCases.moveDueRefunds(due);
    }
    failing.failStatement = undefined;
    await Promise.all([1, 2, 3].map(() => useCases.moveDueRefunds(due)));
    expect(await events(open, "refund.authorized")).toBe(5);
    // What is AUTHORIZED at once is swept by nobody.
    for (const paymentId of paymentIds)
      await askCent(open, paymentId, { requestKey: `2-${paymentId}` });
    await useCases.moveDueRefunds(due);
    expect(await events(open, "refund.authorized")).toBe(10);
    expect(await events(open, "refund.pending")).toBe(5);
  });
});

describe("a settlement whose threshold lies beyond the bank calendar", () => {
  it("T-17 is refused by name and stores nothing: no date is guessed for money", async () => {
    const open = await openService();
    const { service, merchant, clock } = open;
    const early = await newPayment(service, merchant);
    await service.useCases.settlePayment(merchant, { paymentId: early });
    clock.moveTo("2035-12-28T15:00:00.000Z");
    const late = await newPayment(service, merchant);
    await askCent(open, late);
    const before = await service.driver.query("SELECT * FROM payments");
    const settling = service.useCases.settlePayment(merchant, { paymentId: late });
    await expect(settling).rejects.toThrow(
      new RangeError("the bank calendar ends on 2035-12-31, before 2036-01-01"),
    );
    expect(await service.driver.query("SELECT * FROM payments")).toEqual(before);
    expect(await events(open, "payment.succeeded")).toBe(1);
    // What settled while the calendar reached is refunded as ever, and what fails fails.
    expect((await askCent(open, early)).body).toMatchObject({ paymentStatus: "AUTHORIZED" });
    expect(await service.useCases.failPayment(merchant, { paymentId: late })).toMatchObject({
      ok: true,
    });
  });
});
