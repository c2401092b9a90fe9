import { profiles } from "@countersign/schemas/profiles";
import type { LogFields } from "@countersign/service";
import { describe, expect, it } from "vitest";
import { openReceiver, openSandbox, refusal } from "./open-sandbox.ts";
import { SOON } from "./soon.ts";

const START = "2026-03-02T15:00:00.000Z";

describe("the clock of a namespace", () => {
  it("goes to an instant or by a duration, and tells at which instants something was due", async () => {
    const one = await openSandbox({
      delivery: { schedule: { steps: [0, 5000, 300_000], jitter: 0, retryAfterFactor: 2 } },
    });
    const receiver = await openReceiver(500);
    const token = await one.addNamespace({ now: START });
    await one.subscribe(receiver.url, { token });
    await one.call("POST", "/sandbox/customers", { token });
    await expect.poll(() => receiver.arrived.length, SOON).toBe(1);
    const move = (json: object) => one.call("PUT", "/sandbox/clock", { token, json });
    expect((await move({ advance: "PT1M" })).body).toEqual({
      now: "2026-03-02T15:01:00.000Z",
      instants: ["2026-03-02T15:00:05.000Z"],
    });
    expect((await move({ now: "2026-03-02T16:00:00Z" })).body).toEqual({
      now: "2026-03-02T16:00:00.000Z",
      instants: ["2026-03-02T15:05:05.000Z"],
    });
    expect(receiver.arrived).toHaveLength(3);
    expect(await one.list("/sandbox/deliveries", { token })).toMatchObject([
      {
        state: "exhausted",
        nextAttemptAt: null,
        attempts: [{ number: 1, status: 500 }, {}, { number: 3 }],
      },
    ]);
  });

  it("never goes back", async () => {
    const one = await openSandbox();
    const token = await one.addNamespace({ now: START });
    const json = { now: "2026-03-02T14:59:59.999Z" };
    expect(refusal(await one.call("PUT", "/sandbox/clock", { token, json }))).toEqual({
      status: 409,
      code: "CLOCK_GOES_FORWARD",
    });
  });

  it("adds up two moves that are asked for at once", async () => {
    const one = await openSandbox();
    const token = await one.addNamespace({ now: START });
    const day = () => one.call("PUT", "/sandbox/clock", { token, json: { advance: "P1D" } });
    await Promise.all([day(), day(), day()]);
    expect((await one.call("GET", "/sandbox/clock", { token })).body).toEqual({
      now: "2026-03-05T15:00:00.000Z",
    });
  });

  it("ends before the bank calendar does", async () => {
    const one = await openSandbox();
    const json = { advance: "P9000D" };
    expect(refusal(await one.call("PUT", "/sandbox/clock", { json }))).toEqual({
      status: 422,
      code: "CLOCK_OUT_OF_RANGE",
    });
  });

  it("T-17 goes no further than to where a payment that settles has a threshold", async () => {
    const hold = { ...profiles.standard.hold, businessDays: 60 };
    const one = await openSandbox({ profile: { ...profiles.standard, hold } });
    const move = (now: string) => one.call("PUT", "/sandbox/clock", { json: { now } });
    expect(refusal(await move("2035-12-01T00:00:00.000Z"))).toEqual({
      status: 400,
      code: "INVALID_REQUEST",
      members: { "/now": "INVALID_VALUE" },
    });
    // 60 business days before the last one of 2035.
    expect((await move("2035-10-03T00:00:00.000Z")).status).toBe(200);
    const far = await one.call("PUT", "/sandbox/clock", { json: { advance: "P1D" } });
    expect(refusal(far)).toEqual({ status: 422, code: "CLOCK_OUT_OF_RANGE" });
    const processing = one.opened.seeded?.payments.processing;
    const settled = await one.call("POST", `/sandbox/payments/${processing}/settle`);
    expect(settled.status).toBe(200);
    const json = { paymentId: processing, amount: { currency: "USD", value: 1 }, requestKey: "k" };
    const refund = await one.call("POST", "/v1/refunds", { json });
    expect(refund).toMatchObject({ status: 201, body: { paymentStatus: "PENDING" } });
  });

  it.each([
    [{}, "/now"],
    [{ now: START, advance: "P1D" }, "/now"],
    [{ now: "yesterday" }, "/now"],
    [{ now: "2026-03-02" }, "/now"],
    [{ now: "2026-02-30T25:00:00Z" }, "/now"],
    [{ now: 1_772_463_600 }, "/now"],
    [{ advance: "P1M" }, "/advance"],
    [{ advance: 3 }, "/advance"],
  ])("is not moved by %j", async (json, pointer) => {
    const one = await openSandbox();
    expect(refusal(await one.call("PUT", "/sandbox/clock", { json }))).toEqual({
      status: 400,
      code: "INVALID_REQUEST",
      members: { [pointer]: "INVALID_VALUE" },
    });
  });
});

describe("the clock of a namespace with a refund that cannot be moved", () => {
  it("goes on all the same, and the log names the refund", async () => {
    const lines: LogFields[] = [];
    const keep = (fields: LogFields): void => void lines.push(fields);
    const one = await openSandbox({ logger: { info: keep, warn: keep, error: keep } });
    const asked = await one.call("POST", "/v1/refunds", {
      json: {
        paymentId: one.opened.seeded?.payments.recent,
        amount: { currency: "USD", value: 1 },
        requestKey: "poison",
      },
    });
    expect(asked.body["paymentStatus"]).toBe("PENDING");
    const refundId = String(asked.body["paymentId"]);
    await one.sandbox.service.driver.transaction((tx) =>
      tx.query("UPDATE payments SET original_id = NULL WHERE id = $1", [refundId]),
    );
    const moved = await one.call("PUT", "/sandbox/clock", { json: { advance: "P7D" } });
    expect(moved.status).toBe(200);
    expect(lines.filter((line) => line.refundId !== undefined)).toEqual([
      { refundId, errorName: "Error" },
    ]);
  });
});
