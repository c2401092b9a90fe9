// Days without times or zones, as text `YYYY-MM-DD` and as whole days since 1970-01-01, in UTC arithmetic.

/** A bank's calendar as JSON: a rule, and dates (`YYYY-MM-DD`) on which the bank does otherwise. */
export interface BankCalendar {
  /** The Federal Reserve Banks' holidays, or none. */
  readonly holidays: "federal-reserve" | "none";
  /** Days of the week without business, 1 (Monday) to 7 (Sunday). */
  readonly weekend: readonly number[];
  /** Closed although the rule says open. A date in both lists is closed. */
  readonly closed: readonly string[];
  /** Open although the rule says closed, weekends included. */
  readonly open: readonly string[];
  /** The last date that the calendar answers for. */
  readonly validUntil: string;
}

/**
 * The Federal Reserve Banks' calendar by rule. It agrees with their published schedule (K.8) of 2021 to
 * 2030 and answers until 2035; ad-hoc closings and later years are data that a profile adds.
 */
export const federalReserve: BankCalendar = Object.freeze({
  holidays: "federal-reserve",
  weekend: Object.freeze([6, 7]),
  closed: Object.freeze([]),
  open: Object.freeze([]),
  validUntil: "2035-12-31",
});

/**
 * True if the bank does business on a date.
 *
 * @throws {RangeError} `date` is after the calendar's `validUntil`.
 * @throws {TypeError} `date` is not a date written `YYYY-MM-DD`.
 */
export function isBusinessDay(date: string, calendar: BankCalendar): boolean {
  const day = dayOf(date);
  if (date > calendar.validUntil)
    throw new RangeError(`the bank calendar ends on ${calendar.validUntil}, before ${date}`);
  if (calendar.closed.includes(date)) return false;
  if (calendar.open.includes(date)) return true;
  if (calendar.weekend.includes(weekdayOf(day))) return false;
  switch (calendar.holidays) {
    case "federal-reserve":
      return !isFederalHoliday(day);
    case "none":
      return true;
    default:
      return calendar.holidays satisfies never;
  }
}

/**
 * Returns the `count`-th business day strictly after `date`; `date` itself for 0.
 *
 * @throws {RangeError} That day is after the calendar's `validUntil`.
 * @throws {TypeError} `date` is not a date written `YYYY-MM-DD`.
 */
export function addBusinessDays(date: string, count: number, calendar: BankCalendar): string {
  let day = dayOf(date);
  let reached = date;
  for (let left = count; left > 0;) {
    reached = dateOf((day += 1));
    if (isBusinessDay(reached, calendar)) left -= 1;
  }
  return reached;
}

const [MONDAY, THURSDAY, SUNDAY] = [1, 4, 7];
const JUNETEENTH_SINCE = 2021;

/**
 * True if the Federal Reserve Banks are closed for a holiday on this day. A holiday on a Sunday closes the next Monday;
 * one on a Saturday closes no other day.
 */
function isFederalHoliday(day: number): boolean {
  const year = new Date(day * DAY_MS).getUTCFullYear();
  return holidays(year).some(
    (holiday) => day === (weekdayOf(holiday) === SUNDAY ? holiday + 1 : holiday),
  );
}

function holidays(year: number): number[] {
  const date = (month: number, day: number): number => Date.UTC(year, month - 1, day) / DAY_MS;
  const days = [
    date(1, 1), // New Year's Day
    weekdayFrom(date(1, 15), MONDAY), // Birthday of Martin Luther King, Jr.: the third Monday
    weekdayFrom(date(2, 15), MONDAY), // Washington's Birthday: the third Monday
    weekdayFrom(date(5, 25), MONDAY), // Memorial Day: the last Monday
    date(7, 4), // Independence Day
    weekdayFrom(date(9, 1), MONDAY), // Labor Day: the first Monday
    weekdayFrom(date(10, 8), MONDAY), // Columbus Day: the second Monday
    date(11, 11), // Veterans Day
    weekdayFrom(date(11, 22), THURSDAY), // Thanksgiving Day: the fourth Thursday
    date(12, 25), // Christmas Day
  ];
  if (year >= JUNETEENTH_SINCE) days.push(date(6, 19));
  return days;
}

/** Returns the first given weekday on or after a day. */
const weekdayFrom = (day: number, weekday: number): number =>
  day + ((weekday - weekdayOf(day) + 7) % 7);

const DAY_MS = 86_400_000;

/** @throws {TypeError} `date` is not a date from 0000-01-01 to 9999-12-31 written `YYYY-MM-DD`. */
export function dayOf(date: string): number {
  const ms = Date.parse(`${date}T00:00:00.000Z`);
  // An engine may read 2026-02-30 as 2 March, and more forms than one; printing it again shows that.
  if (Number.isNaN(ms) || dateOf(ms / DAY_MS) !== date)
    throw new TypeError(`"${date}" is not a date written YYYY-MM-DD`);
  return ms / DAY_MS;
}

/** Formats whole days since 1970-01-01 as `YYYY-MM-DD`. */
export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the ISO 8601 weekday: 1 is Monday, 7 is Sunday. */
function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}
