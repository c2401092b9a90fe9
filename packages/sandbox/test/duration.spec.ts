import fc from "fast-check";
import { expect, it } from "vitest";
import { parseDuration } from "../src/times.ts";

it("parseDuration adds up days, hours, minutes and seconds", () => {
  const [two, four] = [fc.nat(99), fc.nat(9999)];
  fc.assert(
    fc.property(four, two, two, two, fc.nat(999), (d, h, m, s, ms) => {
      const text = `P${d}DT${h}H${m}M${s}.${String(ms).padStart(3, "0")}S`;
      const length = ((d * 24 + h) * 60 + m) * 60_000 + s * 1000 + ms;
      expect(parseDuration(text)).toBe(length);
    }),
  );
  const parts = ["P3D", "PT1H30M", "P1DT0.5S", "PT0S", "P99999D"].map(parseDuration);
  expect(parts).toEqual([259_200_000, 5_400_000, 86_400_500, 0, 8_639_913_600_000]);
});

it("parseDuration rejects empty, signed, calendar and malformed durations", () => {
  const texts =
    "|P|PT|P1DT|3D|P1Y|P1M|P1W|-P1D|P-1D|P1.5D|PT1.2345S|PT1M1H|p3d|P3D |P100000D".split("|");
  expect(texts.filter((text) => parseDuration(text) !== undefined)).toEqual([]);
});
