import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addBusinessDays, dateOf, dayOf, isBusinessDay } from "../src/business-days.ts";
import { closedWeekdays } from "./federal-calendar.ts";

const calendar = { closed: [], open: [] };
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

const isWeekend = (date: string): boolean => [0, 6].includes(new Date(date).getUTCDay());

describe("the Federal Reserve Banks", () => {
  it("are closed on weekends and on their published days, and no others", () => {
    for (const year of years) {
      const closed = datesOf(year).filter((date) => !isBusinessDay(date));
      const weekdays = closed.filter((date) => !isWeekend(date));
      expect(weekdays.map((date) => date.slice(5)).join(" ")).toBe(closedWeekdays[year]);
      expect(closed.filter(isWeekend)).toEqual(datesOf(year).filter(isWeekend));
    }
  });

  it("are closed for Juneteenth from 2021 on", () => {
    expect(["2019-06-19", "2020-06-19"].map((date) => isBusinessDay(date))).toEqual([true, true]);
    expect(isBusinessDay("2022-06-20")).toBe(false);
  });
});

describe("a bank calendar", () => {
  it("closes and opens by its own dates, and closed wins", () => {
    const own = {
      closed: ["2026-11-24", "2026-11-27"],
      open: ["2026-11-26", "2026-11-27", "2026-11-28"],
    };
    const open = [23, 24, 26, 27, 28, 29].map((day) => isBusinessDay(`2026-11-${day}`, own));
    expect(open).toEqual([true, false, true, false, true, false]);
  });

  it("throws a RangeError after 2035, even for a date that it lists", () => {
    expect(isBusinessDay("2035-12-31")).toBe(true);
    for (const open of [[], ["2036-01-01"]])
      expect(() => isBusinessDay("2036-01-01", { closed: [], open })).toThrow(
        new RangeError("the bank calendar ends on 2035-12-31, before 2036-01-01"),
      );
    expect(addBusinessDays("2035-12-28", 1, calendar)).toBe("2035-12-31");
    expect(() => addBusinessDays("2035-12-28", 2, calendar)).toThrow(RangeError);
  });

  const wrong =
    "2026-02-29|2026-13-01|2026-00-10|2026-01-00|2026-1-1|26-01-01|2026-01-01T00:00:00Z|" +
    "x2026-01-01|-000001-12-31|+010000-01-01||2026-11-21 | 2026-11-21|2026/11/21|21 Nov 2026";
  it("throws a TypeError for a date that is not written YYYY-MM-DD", () => {
    for (const date of wrong.split("|")) {
      const error = new TypeError(`"${date}" is not a date written YYYY-MM-DD`);
      expect(() => isBusinessDay(date)).toThrow(error);
      expect(() => addBusinessDays(date, 1, calendar)).toThrow(error);
    }
  });
});

describe("the n-th business day after a date", () => {
  it("is a business day with n - 1 others before it, and the date itself for 0", () => {
    fc.assert(
      fc.property(dates, fc.integer({ min: 1, max: 15 }), (date, count) => {
        const reached = addBusinessDays(date, count, calendar);
        const between = Array.from({ length: dayOf(reached) - dayOf(date) }, (_, index) =>
          dateOf(dayOf(date) + index + 1),
        );
        expect(isBusinessDay(reached)).toBe(true);
        expect(addBusinessDays(date, 0, calendar)).toBe(date);
        expect(between.filter((day) => isBusinessDay(day))).toHaveLength(count);
      }),
    );
  });
});
