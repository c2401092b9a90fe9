import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkHold, eligibleAt, type Hold } from "../src/hold.ts";
import { ms, standardHold } from "./refunds.ts";

const DAY = 86_400_000;
const instants = fc.integer({ min: ms("2021-01-01T05:00:00Z"), max: ms("2035-12-10T00:00:00Z") });
const cutoffs = fc.constantFrom("00:00", "08:30", "23:59");

describe("the threshold of 3 business days (T-17)", () => {
  it("is counted from the settlement's date in New York", () => {
    // 24 November, 20:30 in New York; by the UTC date it would be 1 December.
    expect(eligibleAt(ms("2026-11-25T01:30:00.000Z"), standardHold)).toBe(
      ms("2026-11-30T05:00:00.000Z"),
    );
    expect(eligibleAt(ms("2026-11-25T01:30:00.000Z"), { ...standardHold, timeZone: "UTC" })).toBe(
      ms("2026-12-01T00:00:00.000Z"),
    );
  });

  it("is never earlier for a later settlement, at any cut-off", () => {
    const gaps = fc.oneof(fc.nat(1000), fc.nat(DAY), fc.nat(7 * DAY));
    fc.assert(
      fc.property(instants, gaps, cutoffs, (settledAt, gap, cutoff) => {
        const hold = { ...standardHold, cutoff };
        expect(eligibleAt(settledAt + gap, hold)).toBeGreaterThanOrEqual(
          eligibleAt(settledAt, hold),
        );
      }),
      { numRuns: 500 },
    );
  });

  it("throws a RangeError beyond the calendar", () => {
    const last = eligibleAt(ms("2035-12-26T12:00:00Z"), standardHold);
    expect(last).toBe(ms("2035-12-31T05:00:00Z"));
    expect(() => eligibleAt(ms("2035-12-28T12:00:00Z"), standardHold)).toThrow(RangeError);
  });
});

describe("the threshold of a hold", () => {
  // Tuesday 24 November 2026, 15:20:00.123 in New York; the 26th is Thanksgiving.
  const settledAt = ms("2026-11-24T20:20:00.123Z");

  it.each([
    [{}, "2026-11-30T05:00:00.000Z"],
    [{ cutoff: "08:30" }, "2026-11-30T13:30:00.000Z"],
    [{ cutoff: "23:59" }, "2026-12-01T04:59:00.000Z"],
    [{ businessDays: 1 }, "2026-11-25T05:00:00.000Z"],
    [{ businessDays: 0 }, "2026-11-24T05:00:00.000Z"],
    [{ timeZone: "Asia/Tokyo" }, "2026-11-30T15:00:00.000Z"],
  ] as const)("with %j is %s", (other, reached) => {
    const hold: Hold = { ...standardHold, ...other };
    expect(new Date(eligibleAt(settledAt, hold)).toISOString()).toBe(reached);
  });
});

describe("a hold that is a mistake", () => {
  it("throws a TypeError that names the member", () => {
    const times = ["24:00", "8:30", "08:60", "08:30:00", "x08:30"];
    const wrong: Readonly<Record<string, readonly Partial<Hold>[]>> = {
      "hold.cutoff": times.map((cutoff) => ({ cutoff })),
      "hold.timeZone": [{ timeZone: "America/Gotham" }],
      "is not a date": [{ closed: ["2026-02-30"] }, { open: ["2026-11-24", "soon"] }],
    };
    for (const [name, changes] of Object.entries(wrong))
      for (const change of changes) {
        const check = () => checkHold({ ...standardHold, ...change });
        expect(check).toThrow(TypeError);
        expect(check).toThrow(name);
      }
    expect(checkHold({ ...standardHold, cutoff: "23:59" })).toBeUndefined();
  });
});

const zones = fc.constantFrom(
  ...(
    "America/New_York UTC Asia/Kolkata Asia/Kathmandu Europe/Berlin Australia/Lord_Howe " +
    "Pacific/Kiritimati Pacific/Apia Pacific/Pago_Pago America/Santiago Africa/Casablanca"
  ).split(" "),
);
const allInstants = fc.integer({
  min: ms("1975-01-01T00:00:00Z"),
  max: ms("2035-12-30T00:00:00Z"),
});

describe("the cut-off in a time zone", () => {
  /** The threshold is the cut-off of the settlement's own date. */
  const sameDay = (timeZone: string, cutoff: string): Hold => ({
    ...standardHold,
    businessDays: 0,
    timeZone,
    cutoff,
  });

  it.each([
    ["America/New_York", "2026-11-30T12:00Z", "00:00", "2026-11-30T05:00:00.000Z"],
    ["America/New_York", "2026-03-08T12:00Z", "02:30", "2026-03-08T07:00:00.000Z"],
    ["America/New_York", "2026-11-01T12:00Z", "01:30", "2026-11-01T05:30:00.000Z"],
    ["America/New_York", "2026-11-01T12:00Z", "02:00", "2026-11-01T07:00:00.000Z"],
    ["America/New_York", "2026-07-01T03:59:59.999Z", "00:00", "2026-06-30T04:00:00.000Z"],
    ["America/Santiago", "2026-09-06T12:00Z", "00:00", "2026-09-06T04:00:00.000Z"],
    ["Australia/Lord_Howe", "2026-04-05T01:00Z", "01:45", "2026-04-04T14:45:00.000Z"],
    ["Pacific/Apia", "2011-12-30T09:59:59.999Z", "12:00", "2011-12-29T22:00:00.000Z"],
    ["Asia/Kathmandu", "2026-01-01T00:00Z", "05:45", "2026-01-01T00:00:00.000Z"],
    ["UTC", "1969-12-31T23:59:59.750Z", "23:59", "1969-12-31T23:59:00.000Z"],
  ])(
    "of %s is reached for %s at %s, also repeated or skipped, first at %s",
    (zone, at, cutoff, instant) => {
      expect(new Date(eligibleAt(ms(at), sameDay(zone, cutoff))).toISOString()).toBe(instant);
    },
  );

  it("is the first instant at which that zone's clocks, by Intl, have passed it on that date", () => {
    const minutes = fc
      .nat(1439)
      .map((minute) => new Date(minute * 60_000).toISOString().slice(11, 16));
    fc.assert(
      fc.property(zones, allInstants, minutes, (timeZone, instant, cutoff) => {
        const format = new Intl.DateTimeFormat("sv-SE", {
          timeZone,
          dateStyle: "short",
          timeStyle: "medium",
        });
        const wanted = `${format.format(instant).slice(0, 10)} ${cutoff}:00`;
        const reached = eligibleAt(instant, sameDay(timeZone, cutoff));
        expect(format.format(reached) >= wanted).toBe(true);
        expect(format.format(reached - 1) < wanted).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
