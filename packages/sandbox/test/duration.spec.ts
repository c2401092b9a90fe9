import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDuration } from "../src/duration.ts";

describe("a duration (ISO 8601)", () => {
  it.each([
    ["P3D", 259_200_000],
    ["PT1H30M", 5_400_000],
    ["P1DT0.5S", 86_400_500],
    ["PT0S", 0],
    ["PT90M", 5_400_000],
    ["PT0.005S", 5],
    ["P99999D", 8_639_913_600_000],
  ])("%s is %d ms", (text, length) => {
    expect(parseDuration(text)).toBe(length);
  });

  it.each([
    "",
    "P",
    "PT",
    "P1DT",
    "3D",
    "P1Y",
    "P1M",
    "P1W",
    "-P1D",
    "P-1D",
    "P1.5D",
    "PT1.2345S",
    "PT1M1H",
    "p3d",
    "P3D ",
    "P100000D",
  ])("is not %j", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it("is always the sum of its parts", () => {
    const parts = fc.record({
      d: fc.nat(9999),
      h: fc.nat(99),
      m: fc.nat(99),
      s: fc.nat(99),
      ms: fc.nat(999),
    });
    fc.assert(
      fc.property(parts, ({ d, h, m, s, ms }) => {
        const text = `P${d}DT${h}H${m}M${s}.${String(ms).padStart(3, "0")}S`;
        const length = ((d * 24 + h) * 60 + m) * 60_000 + s * 1000 + ms;
        expect(parseDuration(text)).toBe(length);
      }),
    );
  });
});
