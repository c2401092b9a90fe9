import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wallClock } from "../src/hold.ts";
import { ms } from "./holds.ts";

const HOUR = 3_600_000;
const zones = fc.constantFrom(
  "America/New_York",
  "UTC",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Europe/Berlin",
  "Australia/Lord_Howe",
  "Pacific/Kiritimati",
  "Pacific/Apia",
  "Pacific/Pago_Pago",
  "America/Santiago",
  "Africa/Casablanca",
);
const instants = fc.integer({ min: ms("1975-01-01T00:00:00Z"), max: ms("2035-12-31T00:00:00Z") });

/** A wall time, as `WallClock` counts it. */
function wall(time: string): number {
  return ms(`${time}Z`);
}

describe("a zone's wall clock", () => {
  it.each([
    ["America/New_York", "2026-11-25T01:30:00.123Z", "2026-11-24T20:30:00.123"],
    ["America/New_York", "2026-07-01T03:59:59.999Z", "2026-06-30T23:59:59.999"],
    ["Asia/Kathmandu", "2026-01-01T00:00:00.000Z", "2026-01-01T05:45:00.000"],
    ["UTC", "2026-11-25T00:00:00.000Z", "2026-11-25T00:00:00.000"],
    ["UTC", "1969-12-31T23:59:59.750Z", "1969-12-31T23:59:59.750"],
  ])("of %s reads %s as %s", (zone, instant, time) => {
    expect(wallClock(zone).read(ms(instant))).toBe(wall(time));
  });

  it.each([
    ["America/New_York", "2026-11-30T00:00:00.000", "2026-11-30T05:00:00.000Z"],
    ["America/New_York", "2026-03-08T02:30:00.000", "2026-03-08T07:00:00.000Z"],
    ["America/New_York", "2026-11-01T01:30:00.000", "2026-11-01T05:30:00.000Z"],
    ["America/New_York", "2026-11-01T02:00:00.000", "2026-11-01T07:00:00.000Z"],
    ["America/Santiago", "2026-09-06T00:00:00.000", "2026-09-06T04:00:00.000Z"],
    ["Australia/Lord_Howe", "2026-04-05T01:45:00.000", "2026-04-04T14:45:00.000Z"],
    ["Pacific/Apia", "2011-12-30T12:00:00.000", "2011-12-30T10:00:00.000Z"],
  ])("of %s first reaches %s, repeated or skipped, at %s", (zone, time, instant) => {
    expect(wallClock(zone).firstInstantOf(wall(time))).toBe(ms(instant));
  });

  it("reaches a wall time at its first instant and not before", () => {
    fc.assert(
      fc.property(zones, instants, (zone, instant) => {
        const { read, firstInstantOf } = wallClock(zone);
        const time = read(instant);
        const first = firstInstantOf(time);
        expect(first).toBeLessThanOrEqual(instant);
        expect(instant - first).toBeLessThanOrEqual(3 * HOUR);
        expect(read(first)).toBe(time);
        expect(read(first - 1)).toBeLessThan(time);
        // Zones skip some of these wall times.
        const reached = firstInstantOf(instant);
        expect(read(reached)).toBeGreaterThanOrEqual(instant);
        expect(read(reached - 1)).toBeLessThan(instant);
      }),
    );
  });

  it("throws a RangeError for a zone that does not exist", () => {
    expect(() => wallClock("America/Gotham")).toThrow(RangeError);
  });
});
