// Days without times or zones, as text `YYYY-MM-DD` and as whole days since 1970-01-01, in UTC arithmetic.

/** Dates (`YYYY-MM-DD`) on which a bank does otherwise than the Federal Reserve Banks. */
export interface BankCalendar {
  /** Closed although the Federal Reserve Banks are open. A date in both lists is closed. */
  readonly closed: readonly string[];
  /** Open although the Federal Reserve Banks are closed, weekends included. */
  readonly open: readonly string[];
}

/**
 * The last date that the Federal Reserve Banks' holidays by rule answer for. They agree with the published schedule (K.8)
 * of 2021 to 2030; ad-hoc closings are data that a profile adds.
 */
const LAST_DATE = "2035-12-31";

/**
 * True if the bank does business on a date.
 *
 * @param calendar Default: that of the Federal Reserve Banks.
 * @throws {RangeError} `date` is after 2035-12-31.
 * @throws {TypeError} `date` is not a date written `YYYY-MM-DD`.
 */
export function isBusinessDay(date: string, { closed, open }: BankCalendar = NO_OTHERS): boolean {
  const day = dayOf(date);
  if (date > LAST_DATE)
    throw new RangeError(`the bank calendar ends on ${LAST_DATE}, before ${date}`);
  if (closed.includes(date)) return false;
  return open.includes(date) || !(weekdayOf(day) >= SATURDAY || isFederalHoliday(day));
}

const NO_OTHERS: BankCalendar = { closed: [], open: [] };

/**
 * Returns the `count`-th business day strictly after `date`; `date` itself for 0.
 *
 * @throws {RangeError} That day is after 2035-12-31.
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

const [MONDAY, THURSDAY, SATURDAY, SUNDAY] = [1, 4, 6, 7];
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
