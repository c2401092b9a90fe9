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

  it("is UTC's own for UTC", () => {
    const clock = wallClock("UTC");
    fc.assert(
      fc.property(instants, (instant) => {
        expect(clock.read(instant)).toBe(instant);
        expect(clock.firstInstantOf(instant)).toBe(instant);
      }),
    );
  });

  it.each([
    ["midnight in winter", "2026-11-30T00:00:00.000", "2026-11-30T05:00:00.000Z"],
    ["midnight in summer", "2026-07-07T00:00:00.000", "2026-07-07T04:00:00.000Z"],
    ["a wall time that a change leaves out", "2026-03-08T02:30:00.000", "2026-03-08T07:00:00.000Z"],
    ["the last before that change", "2026-03-08T01:59:59.999", "2026-03-08T06:59:59.999Z"],
    ["the first after that change", "2026-03-08T03:00:00.000", "2026-03-08T07:00:00.000Z"],
    ["a wall time that a change repeats", "2026-11-01T01:30:00.000", "2026-11-01T05:30:00.000Z"],
    ["the first that it repeats", "2026-11-01T01:00:00.000", "2026-11-01T05:00:00.000Z"],
    ["the first after it", "2026-11-01T02:00:00.000", "2026-11-01T07:00:00.000Z"],
    ["noon of the day of a change", "2026-11-01T12:00:00.000", "2026-11-01T17:00:00.000Z"],
  ])("of New York shows %s first at its instant", (_, time, instant) => {
    expect(wallClock("America/New_York").firstInstantOf(wall(time))).toBe(ms(instant));
  });

  it.each([
    ["America/Santiago", "2026-09-06T00:00:00.000", "2026-09-06T04:00:00.000Z"],
    ["Australia/Lord_Howe", "2026-04-05T01:45:00.000", "2026-04-04T14:45:00.000Z"],
    ["Pacific/Apia", "2011-12-30T12:00:00.000", "2011-12-30T10:00:00.000Z"],
  ])("of %s shows %s, which it left out or repeats, first at %s", (zone, time, instant) => {
    expect(wallClock(zone).firstInstantOf(wall(time))).toBe(ms(instant));
  });

  it("shows a wall time at its first instant, and not before", () => {
    fc.assert(
      fc.property(zones, instants, (zone, instant) => {
        const { read, firstInstantOf } = wallClock(zone);
        const time = read(instant);
        const first = firstInstantOf(time);
        expect(first).toBeLessThanOrEqual(instant);
        expect(instant - first).toBeLessThanOrEqual(3 * HOUR);
        expect(read(first)).toBe(time);
        expect(read(first - 1)).toBeLessThan(time);
      }),
    );
  });

  it("has never shown as late a time before the first instant of one it leaves out", () => {
    fc.assert(
      fc.property(zones, instants, (zone, time) => {
        const { read, firstInstantOf } = wallClock(zone);
        const first = firstInstantOf(time);
        expect(read(first)).toBeGreaterThanOrEqual(time);
        expect(read(first - 1)).toBeLessThan(time);
      }),
    );
  });

  it("is none for a zone that does not exist", () => {
    expect(() => wallClock("America/Gotham")).toThrow(RangeError);
  });
});
