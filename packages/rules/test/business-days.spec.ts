import { allForYear } from "@18f/us-federal-holidays";
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
  it.each(years)(
    "are closed in %i on weekends and on their published days, and no others",
    (year) => {
      const closed = datesOf(year).filter((date) => !isBusinessDay(date, federalReserve));
      const weekdays = closed.filter((date) => isBusinessDay(date, plain));
      expect(weekdays.map((date) => date.slice(5)).join(" ")).toBe(closedWeekdays[year]);
      expect(closed.length - weekdays.length).toBe(
        datesOf(year).filter((date) => [0, 6].includes(new Date(date).getUTCDay())).length,
      );
    },
  );

  it.each(years)("are closed in %i when another implementation says so", (year) => {
    const holidays = allForYear(year, { shiftSaturdayHolidays: false, shiftSundayHolidays: true })
      // By its text: the Date is one of the machine's zone.
      .map(({ dateString }) => dateString.replaceAll(/\b\d\b/g, "0$&"));
    for (const date of datesOf(year)) {
      const isClosed = holidays.includes(date) || !isBusinessDay(date, plain);
      expect([date, isBusinessDay(date, federalReserve)]).toEqual([date, !isClosed]);
    }
  });

  it("are open on the Friday before a holiday on a Saturday", () => {
    expect(isBusinessDay("2026-07-03", federalReserve)).toBe(true);
    expect(isBusinessDay("2027-12-31", federalReserve)).toBe(true);
  });

  it("are closed for Juneteenth from 2021 on", () => {
    expect(isBusinessDay("2020-06-19", federalReserve)).toBe(true);
    expect(isBusinessDay("2022-06-20", federalReserve)).toBe(false);
    // A Saturday: the year in which it was first a holiday shows where Saturdays count.
    const sixDays = { ...federalReserve, weekend: [7] };
    expect(isBusinessDay("2021-06-19", sixDays)).toBe(false);
    expect(isBusinessDay("2021-06-26", sixDays)).toBe(true);
  });

  it("have no known calendar after 2035", () => {
    expect(isBusinessDay("2035-12-31", federalReserve)).toBe(true);
    expect(() => isBusinessDay("2036-01-01", federalReserve)).toThrow(
      new RangeError("the bank calendar ends on 2035-12-31, before 2036-01-01"),
    );
  });

  it("are frozen data", () => {
    expect(
      [federalReserve, federalReserve.weekend, federalReserve.closed, federalReserve.open].map(
        Object.isFrozen,
      ),
    ).toEqual([true, true, true, true]);
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
    expect(
      ["2026-11-23", "2026-11-24", "2026-11-26", "2026-11-27", "2026-11-28", "2026-11-29"].map(
        (date) => isBusinessDay(date, calendar),
      ),
    ).toEqual([true, false, true, false, true, false]);
  });

  it("has its own weekend", () => {
    const calendar = { ...plain, weekend: [5, 6] };
    expect(
      ["2026-11-19", "2026-11-20", "2026-11-21", "2026-11-22"].map((date) =>
        isBusinessDay(date, calendar),
      ),
    ).toEqual([true, false, false, true]);
  });

  it("answers on its last date and throws beyond, even for a date that it lists", () => {
    const calendar = { ...plain, validUntil: "2026-11-23", open: ["2026-11-24"] };
    expect(isBusinessDay("2026-11-23", calendar)).toBe(true);
    expect(() => isBusinessDay("2026-11-24", calendar)).toThrow(RangeError);
    expect(() => addBusinessDays("2026-11-20", 2, calendar)).toThrow(RangeError);
    expect(addBusinessDays("2026-11-20", 1, calendar)).toBe("2026-11-23");
  });

  it("without any business day ends with its last date", () => {
    const never = { ...plain, weekend: [1, 2, 3, 4, 5, 6, 7] };
    expect(() => addBusinessDays("2026-11-20", 1, never)).toThrow(RangeError);
  });

  it.each(["2026-02-30", "20261121", "tomorrow"])("knows no date %s", (date) => {
    expect(() => isBusinessDay(date, { ...plain, validUntil: "9999-12-31" })).toThrow(TypeError);
    expect(() => addBusinessDays(date, 1, plain)).toThrow(TypeError);
  });
});

describe("the n-th business day after a date", () => {
  it("is that date for 0", () => {
    expect(addBusinessDays("2026-11-21", 0, federalReserve)).toBe("2026-11-21");
  });

  it("is a business day with n - 1 others before it", () => {
    fc.assert(
      fc.property(dates, fc.integer({ min: 1, max: 15 }), (date, count) => {
        const reached = addBusinessDays(date, count, federalReserve);
        const between = Array.from({ length: dayOf(reached) - dayOf(date) }, (_, index) =>
          dateOf(dayOf(date) + index + 1),
        );
        expect(isBusinessDay(reached, federalReserve)).toBe(true);
        expect(between.filter((day) => isBusinessDay(day, federalReserve))).toHaveLength(count);
      }),
    );
  });

  it("after a day without business is that after the last business day before", () => {
    fc.assert(
      fc.property(dates, (date) => {
        let before = dayOf(date);
        while (!isBusinessDay(dateOf(before), federalReserve)) before -= 1;
        expect(addBusinessDays(date, 3, federalReserve)).toBe(
          addBusinessDays(dateOf(before), 3, federalReserve),
        );
      }),
    );
  });

  it("is never earlier for a later date, or with a day more closed", () => {
    fc.assert(
      fc.property(dates, fc.nat(30), fc.array(fc.nat(12)), (date, later, closings) => {
        const reached = addBusinessDays(date, 3, federalReserve);
        const next = dateOf(Math.min(dayOf(date) + later, dayOf("2035-12-01")));
        expect(addBusinessDays(next, 3, federalReserve) >= reached).toBe(true);
        const closed = closings.map((days) => dateOf(dayOf(date) + days));
        const stricter = { ...federalReserve, closed, validUntil: "2036-12-31" };
        expect(addBusinessDays(date, 3, stricter) >= reached).toBe(true);
      }),
    );
  });

  it("keeps weekends apart from weekdays by ISO numbers", () => {
    fc.assert(
      fc.property(dates, fc.subarray([1, 2, 3, 4, 5, 6, 7]), (date, weekend) => {
        const isOpen = isBusinessDay(date, { ...plain, weekend });
        expect(isOpen).toBe(!weekend.includes(new Date(date).getUTCDay() || 7));
      }),
    );
  });
});
