import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addBusinessDays,
  dateOf,
  dayOf,
  federalReserve,
  isBusinessDay,
  type BankCalendar,
} from "../src/business-days.ts";
import { closedWeekdays } from "./federal-calendar.ts";

const plain: BankCalendar = { ...federalReserve, holidays: "none" };
const years = Object.keys(closedWeekdays).map(Number);
const dates = fc
  .integer({ min: dayOf("2021-01-01"), max: dayOf("2035-11-30") })
  .map((day) => dateOf(day));

function datesOf(year: number): string[] {
  const first = dayOf(`${year}-01-01`);
  return Array.from({ length: dayOf(`${year}-12-31`) - first + 1 }, (_, index) =>
    dateOf(first + index),
  );
}

describe("the Federal Reserve Banks", () => {
  it("are closed on weekends and on their published days, and no others", () => {
    for (const year of years) {
      const closed = datesOf(year).filter((date) => !isBusinessDay(date, federalReserve));
      const weekdays = closed.filter((date) => isBusinessDay(date, plain));
      const weekends = datesOf(year).filter((date) => !isBusinessDay(date, plain));
      expect(weekdays.map((date) => date.slice(5)).join(" ")).toBe(closedWeekdays[year]);
      expect(closed).toHaveLength(weekdays.length + weekends.length);
    }
  });

  it("are closed for Juneteenth from 2021 on", () => {
    expect(isBusinessDay("2020-06-19", federalReserve)).toBe(true);
    expect(isBusinessDay("2022-06-20", federalReserve)).toBe(false);
    // A Saturday: the year in which it was first a holiday shows where Saturdays count.
    const sixDays = { ...federalReserve, weekend: [7] };
    expect(isBusinessDay("2021-06-19", sixDays)).toBe(false);
    expect(isBusinessDay("2021-06-26", sixDays)).toBe(true);
  });

  it("are frozen and survive JSON", () => {
    const { weekend, closed, open } = federalReserve;
    for (const part of [federalReserve, weekend, closed, open])
      expect(Object.isFrozen(part)).toBe(true);
    expect(JSON.parse(JSON.stringify(federalReserve))).toEqual(federalReserve);
  });
});

describe("a bank calendar", () => {
  it("closes and opens by its own dates, and closed wins", () => {
    const calendar = {
      ...federalReserve,
      closed: ["2026-11-24", "2026-11-27"],
      open: ["2026-11-26", "2026-11-27", "2026-11-28"],
    };
    const open = [23, 24, 26, 27, 28, 29].map((day) => isBusinessDay(`2026-11-${day}`, calendar));
    expect(open).toEqual([true, false, true, false, true, false]);
  });

  it("throws a RangeError after its last date, the Federal Reserve's in 2035, even for a date that it lists", () => {
    expect(isBusinessDay("2035-12-31", federalReserve)).toBe(true);
    expect(() => isBusinessDay("2036-01-01", federalReserve)).toThrow(
      new RangeError("the bank calendar ends on 2035-12-31, before 2036-01-01"),
    );
    const calendar = { ...plain, validUntil: "2026-11-23", open: ["2026-11-24"] };
    expect(isBusinessDay("2026-11-23", calendar)).toBe(true);
    expect(() => isBusinessDay("2026-11-24", calendar)).toThrow(RangeError);
    expect(() => addBusinessDays("2026-11-20", 2, calendar)).toThrow(RangeError);
    expect(addBusinessDays("2026-11-20", 1, calendar)).toBe("2026-11-23");
    const never = { ...plain, weekend: [1, 2, 3, 4, 5, 6, 7] };
    expect(() => addBusinessDays("2026-11-20", 1, never)).toThrow(RangeError);
  });

  const wrong =
    "2026-02-29|2026-13-01|2026-00-10|2026-01-00|2026-1-1|26-01-01|2026-01-01T00:00:00Z|" +
    "x2026-01-01|-000001-12-31|+010000-01-01||2026-11-21 | 2026-11-21|2026/11/21|21 Nov 2026";
  it("throws a TypeError for a date that is not written YYYY-MM-DD", () => {
    for (const date of wrong.split("|")) {
      const error = new TypeError(`"${date}" is not a date written YYYY-MM-DD`);
      expect(() => isBusinessDay(date, plain)).toThrow(error);
      expect(() => addBusinessDays(date, 1, plain)).toThrow(error);
    }
  });
});

describe("the n-th business day after a date", () => {
  it("is a business day with n - 1 others before it, and the date itself for 0", () => {
    fc.assert(
      fc.property(dates, fc.integer({ min: 1, max: 15 }), (date, count) => {
        const reached = addBusinessDays(date, count, federalReserve);
        const between = Array.from({ length: dayOf(reached) - dayOf(date) }, (_, index) =>
          dateOf(dayOf(date) + index + 1),
        );
        expect(isBusinessDay(reached, federalReserve)).toBe(true);
        expect(addBusinessDays(date, 0, federalReserve)).toBe(date);
        expect(between.filter((day) => isBusinessDay(day, federalReserve))).toHaveLength(count);
      }),
    );
  });

  it("skips the weekend of the calendar, by ISO weekday numbers, from year 0 on", () => {
    const days = fc.integer({ min: -719_528, max: dayOf("2035-12-31") });
    fc.assert(
      fc.property(days, fc.subarray([1, 2, 3, 4, 5, 6, 7]), (day, weekend) => {
        const date = new Date(day * 86_400_000).toISOString().slice(0, 10);
        expect(addBusinessDays(date, 0, plain)).toBe(date);
        const isOpen = isBusinessDay(date, { ...plain, weekend });
        expect(isOpen).toBe(!weekend.includes(new Date(date).getUTCDay() || 7));
      }),
    );
  });
});
