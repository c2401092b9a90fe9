import { describe, expect, it } from "vitest";
import { parseRetryAfter } from "../../src/delivery/retry-after.ts";

const now = Date.parse("2026-11-02T12:00:00.000Z");

describe("B12 Retry-After (RFC 9110 10.2.3)", () => {
  it.each([
    ["0", 0],
    ["120", 120_000],
    ["999999999999", 999_999_999_999_000],
    ["Mon, 02 Nov 2026 12:01:40 GMT", 100_000],
    ["Sun, 01 Nov 2026 12:00:00 GMT", 0],
  ])("%j asks for %d ms", (header, wait) => {
    expect(parseRetryAfter(header, now)).toBe(wait);
  });

  it.each([
    ["nothing", undefined],
    ["an empty field", ""],
    ["a negative number", "-1"],
    ["a fraction", "1.5"],
    ["a number with an exponent", "1e308"],
    ["infinity", "inf"],
    ["no number", "NaN"],
    ["thirteen digits", "9999999999999"],
    ["a date in another form", "2026-11-02T12:01:40Z"],
    ["a date that is none", "Mon, 99 Nov 2026 12:01:40 GMT"],
    ["a long garbled field", "x".repeat(4096)],
  ])("says nothing where it holds %s", (_, header) => {
    expect(parseRetryAfter(header, now)).toBeUndefined();
  });
});
