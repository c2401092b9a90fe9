import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dateOf, dayOf, lastWeekday, nthWeekday, weekdayOf } from "../src/civil-date.ts";

describe("a date", () => {
  it.each([
    ["1970-01-01", 0, 4],
    ["1969-12-31", -1, 3],
    ["2026-11-21", 20_778, 6],
    ["2026-11-22", 20_779, 7],
    ["2026-11-23", 20_780, 1],
    ["2024-02-29", 19_782, 4],
    ["0000-01-01", -719_528, 6],
    ["0001-01-01", -719_162, 1],
    ["9999-12-31", 2_932_896, 5],
  ])("%s is day %i and weekday %i", (date, day, weekday) => {
    expect(dayOf(date)).toBe(day);
    expect(dateOf(day)).toBe(date);
    expect(weekdayOf(day)).toBe(weekday);
  });

  it.each([
    "2026-02-29",
    "2026-02-30",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "2026-1-1",
    "26-01-01",
    "2026-01-01T00:00:00Z",
    "x2026-01-01",
    "-000001-12-31",
    "2026-11-21 ",
    " 2026-11-21",
    "2026/11/21",
    "21 Nov 2026",
    "+010000-01-01",
    "",
  ])("is not %j", (date) => {
    expect(() => dayOf(date)).toThrow(new TypeError(`"${date}" is not a date written YYYY-MM-DD`));
  });

  it("is printed and read back, and the next day is the next weekday", () => {
    fc.assert(
      fc.property(fc.integer({ min: -719_162, max: 2_932_895 }), (day) => {
        expect(dayOf(dateOf(day))).toBe(day);
        expect(weekdayOf(day + 1)).toBe((weekdayOf(day) % 7) + 1);
        expect(weekdayOf(day) % 7).toBe(new Date(day * 86_400_000).getUTCDay());
      }),
    );
  });
});

describe("a weekday of a month", () => {
  const months = fc.record({
    year: fc.integer({ min: 1900, max: 2200 }),
    month: fc.integer({ min: 1, max: 12 }),
  });
  const weekdays = fc.integer({ min: 1, max: 7 });

  it("counted from the start lies in its week of the month", () => {
    fc.assert(
      fc.property(months, weekdays, fc.integer({ min: 1, max: 4 }), (month, weekday, nth) => {
        const day = nthWeekday(month, weekday, nth);
        expect(weekdayOf(day)).toBe(weekday);
        const [year, monthNumber, dayOfMonth] = dateOf(day).split("-").map(Number);
        expect([year, monthNumber]).toEqual([month.year, month.month]);
        expect(Math.ceil((dayOfMonth ?? 0) / 7)).toBe(nth);
      }),
    );
  });

  it("counted from the end is the last one", () => {
    fc.assert(
      fc.property(months, weekdays, (month, weekday) => {
        const day = lastWeekday(month, weekday);
        expect(weekdayOf(day)).toBe(weekday);
        expect(dateOf(day).slice(0, 7)).toBe(
          `${month.year}-${String(month.month).padStart(2, "0")}`,
        );
        expect(dateOf(day + 7).slice(0, 7)).not.toBe(dateOf(day).slice(0, 7));
      }),
    );
  });
});
