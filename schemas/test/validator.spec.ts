import {
  validateAmount,
  validateRefundRequest,
  validateSubscribeRequest,
} from "@countersign/schemas/writers";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { formats } from "../src/formats.ts";
import { amounts, refusedAmounts } from "./every-amount.ts";
import { errorsOf } from "./schema-files.ts";

const request = {
  paymentId: "pay_1",
  amount: { currency: "USD", value: 10.5 },
  requestKey: "key-1",
};

describe("a writer's validator", () => {
  it("names every fault at once, with its pointer", () => {
    const faults = errorsOf(validateRefundRequest, {
      ...request,
      requestKey: undefined,
      amount: { currency: "EUR", value: "1.00" },
      softDescriptor: "a/b",
      "a/b~c": 1,
    });
    expect(faults.map(({ pointer, keyword }) => `${pointer} ${keyword}`).toSorted()).toEqual([
      "/amount/currency const",
      "/amount/value type",
      "/a~1b~0c additionalProperties",
      "/requestKey required",
      "/softDescriptor pattern",
    ]);
  });

  it("never repeats a value, which may be a secret", () => {
    const subscriptionDetails = { type: "hunter2" };
    const wrong = { url: "ftp://hunter2", secretKey: "short hunter2", subscriptionDetails };
    const faults = errorsOf(validateSubscribeRequest, wrong);
    expect(faults.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(faults)).not.toContain("hunter2");
  });

  it("names at most a hundred faults", () => {
    const members = Array.from({ length: 9000 }, (_, index) => [`unknown${String(index)}`, 1]);
    expect(errorsOf(validateRefundRequest, Object.fromEntries(members))).toHaveLength(100);
  });

  it("keeps nothing between calls", () => {
    const first = validateAmount({});
    validateAmount({ currency: "USD", value: 1 });
    expect(first).toMatchObject({ ok: false, errors: [{}, {}] });
    expect(validateAmount({ currency: "USD", value: 1 }).ok).toBe(true);
  });
});

describe("an amount", () => {
  const cents = amounts(999_999);

  it("[P-REFUND-AMOUNT] passes as a number for every cent from 0.01 to 9,999.99", () => {
    expect(refusedAmounts(cents)).toEqual([]);
  });

  it("is refused by multipleOf: 0.01 for every sixth cent, which is why no validator has it", () => {
    const naive = new Ajv2020().compile({ type: "number", multipleOf: 0.01 });
    // The first million cents, from 0.00 to 9,999.99.
    const refused = [0, ...cents].filter((value) => !naive(value));
    expect(refused).toHaveLength(157_274);
    expect(refused).toEqual(expect.arrayContaining([19.99, 4.35, 0.07]));
  });
});

describe("a timestamp", () => {
  it("is valid exactly on the days of the calendar", () => {
    const digits = (number: number, width = 2): string => String(number).padStart(width, "0");
    const years = [...Array.from({ length: 400 }, (_, index) => 1800 + index), 0, 4, 100, 9999];
    const wrong = [];
    for (const year of years)
      for (let month = 0; month <= 13; month += 1)
        for (let day = 0; day <= 32; day += 1) {
          const text = `${digits(year, 4)}-${digits(month)}-${digits(day)}T23:59:59.999Z`;
          const time = Date.parse(text);
          const exists = !Number.isNaN(time) && new Date(time).toISOString() === text;
          if (formats["date-time"](text) !== exists) wrong.push(text);
        }
    expect(wrong).toEqual([]);
  });

  it.each(["24:00:00.000Z", "23:60:00.000Z", "23:59:60.000Z", "23:59:59Z", "23:59:59.000+00:00"])(
    "is rejected at %s",
    (time) => expect(formats["date-time"](`2026-01-01T${time}`)).toBe(false),
  );
});
