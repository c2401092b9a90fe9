import { dateOf, dayOf, weekdayOf } from "./civil-date.ts";
import { isFederalHoliday } from "./federal-holidays.ts";

/** A bank's calendar as JSON: a rule, and dates (`YYYY-MM-DD`) on which the bank does otherwise. */
export interface BankCalendar {
  /** Which holidays close the bank: the Federal Reserve Banks' schedule, or none. */
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
 * Whether the bank does business on a date.
 *
 * @throws {RangeError} `date` is after the calendar's `validUntil`.
 * @throws {TypeError} `date` is no date written `YYYY-MM-DD`.
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
 * The date of the `count`-th business day strictly after `date`; `date` itself for 0.
 *
 * @throws {RangeError} That day is after the calendar's `validUntil`.
 * @throws {TypeError} `date` is no date written `YYYY-MM-DD`.
 */
export function addBusinessDays(date: string, count: number, calendar: BankCalendar): string {
  let day = dayOf(date);
  let reached = date;
  for (let left = count; left > 0;) {
    day += 1;
    reached = dateOf(day);
    if (isBusinessDay(reached, calendar)) left -= 1;
  }
  return reached;
}
