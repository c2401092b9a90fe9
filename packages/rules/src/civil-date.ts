// Days of the calendar without times or zones, as text `YYYY-MM-DD` and as whole days since
// 1970-01-01. Only UTC arithmetic: no zone of the machine shows through.

const DAY_MS = 86_400_000;

/**
 * Whole days since 1970-01-01.
 * @throws {TypeError} `date` is no date from 0000-01-01 to 9999-12-31 written `YYYY-MM-DD`.
 */
export function dayOf(date: string): number {
  const ms = Date.parse(`${date}T00:00:00.000Z`);
  // An engine may read 2026-02-30 as 2 March, and more forms than one; printing it again shows that.
  if (Number.isNaN(ms) || dateOf(ms / DAY_MS) !== date)
    throw new TypeError(`"${date}" is not a date written YYYY-MM-DD`);
  return ms / DAY_MS;
}

/** The date `YYYY-MM-DD` of a whole day since 1970-01-01. */
export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Day of the week by ISO 8601: 1 is Monday, 7 is Sunday. */
export function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

/** The `nth` (1 …) given weekday of a month (1 to 12). */
export function nthWeekday(
  month: { year: number; month: number },
  weekday: number,
  nth: number,
): number {
  const first = dayOfParts(month.year, month.month, 1);
  return first + ((weekday - weekdayOf(first) + 7) % 7) + 7 * (nth - 1);
}

/** The last given weekday of a month (1 to 12). */
export function lastWeekday(month: { year: number; month: number }, weekday: number): number {
  const last = dayOfParts(month.year, month.month + 1, 1) - 1;
  return last - ((weekdayOf(last) - weekday + 7) % 7);
}

/** Whole days since 1970-01-01 of a year from 1000 on, a month (1 to 12, 13 is next January) and a day. */
export function dayOfParts(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day) / DAY_MS;
}
