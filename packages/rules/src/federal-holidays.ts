import { dayOfParts, lastWeekday, nthWeekday, weekdayOf } from "./civil-date.ts";

const MONDAY = 1;
const THURSDAY = 4;
const JUNETEENTH_SINCE = 2021;
const SUNDAY = 7;

/**
 * Whether the Federal Reserve Banks are closed for a holiday on this day (days since 1970-01-01). By
 * their schedule a holiday on a Sunday closes the Monday after it; one on a Saturday closes no other
 * day: they stay open on the Friday before.
 */
export function isFederalHoliday(day: number): boolean {
  const year = new Date(day * 86_400_000).getUTCFullYear();
  return holidays(year).some(
    (holiday) => day === (weekdayOf(holiday) === SUNDAY ? holiday + 1 : holiday),
  );
}

function holidays(year: number): number[] {
  const days = [
    dayOfParts(year, 1, 1), // New Year's Day
    nthWeekday({ year, month: 1 }, MONDAY, 3), // Birthday of Martin Luther King, Jr.
    nthWeekday({ year, month: 2 }, MONDAY, 3), // Washington's Birthday
    lastWeekday({ year, month: 5 }, MONDAY), // Memorial Day
    dayOfParts(year, 7, 4), // Independence Day
    nthWeekday({ year, month: 9 }, MONDAY, 1), // Labor Day
    nthWeekday({ year, month: 10 }, MONDAY, 2), // Columbus Day
    dayOfParts(year, 11, 11), // Veterans Day
    nthWeekday({ year, month: 11 }, THURSDAY, 4), // Thanksgiving Day
    dayOfParts(year, 12, 25), // Christmas Day
  ];
  if (year >= JUNETEENTH_SINCE) days.push(dayOfParts(year, 6, 19));
  return days;
}
