import { validateRefundRequest, validateSubscribeRequest } from "@countersign/schemas/writers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isHttpUrl, isTimestamp, lengthOf } from "../src/validation.ts";
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
          if (isTimestamp(text) !== exists) wrong.push(text);
        }
    expect(wrong).toEqual([]);
  });

  it("has milliseconds, the zone Z, and no leap second or hour 24", () => {
    for (const time of "24:00:00.000Z 23:60:00.000Z 23:59:60.000Z 23:59:59Z 23:59:59.000+00:00".split(
      " ",
    ))
      expect([time, isTimestamp(`2026-01-01T${time}`)]).toEqual([time, false]);
  });
});

it("a URL is absolute, of http or https, without user name, password and fragment", () => {
  const wrong = "//a.test ftp://a.test http:// http://a.test/#b http://é.test";
  const named = "http://user@a.test http://:word@a.test http://user:word@a.test";
  for (const url of [...wrong.split(" "), ...named.split(" ")])
    expect([url, isHttpUrl(url)]).toEqual([url, false]);
  expect("http://a.test HTTPS://a.test:8443/b?c=@".split(" ").filter(isHttpUrl)).toHaveLength(2);
});

// Halves of surrogate pairs, and whole ones, among a character that is neither.
const part = fc.array(fc.constantFrom("a", "\ud83d", "\ude00", "\ud83d\ude00"), { maxLength: 12 });
// A long text without a pair is counted in another way.
const texts = fc
  .tuple(fc.constantFrom("", "b".repeat(300)), part)
  .map(([before, parts]) => before + parts.join(""));

it("a text's length counts a surrogate pair as one character, and a lone surrogate as one", () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(lengthOf(text)).toBe(Array.from(text).length);
    }),
  );
});
