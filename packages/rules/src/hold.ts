import { addBusinessDays, isBusinessDay, type BankCalendar } from "./business-days.ts";
import { dateOf, dayOf } from "./civil-date.ts";
import { wallClock } from "./wall-clock.ts";

/** How long a refund is held after the original payment's settlement (S 3.1, S 8). */
export interface Hold {
  /** Business days strictly after the settlement's date, 0 (that date itself) to 366; 3 by S 8. */
  readonly businessDays: number;
  /**
   * When on the last of them, T, the threshold falls: `'date'` at the cut-off of T; `'full-days'` at
   * the cut-off of the calendar day after T; `'instant'` at the wall time of the settlement on T,
   * where a settlement on a day without business counts as one at 00:00 of the next with business.
   */
  readonly mode: "date" | "full-days" | "instant";
  /** IANA time zone in which dates are read. */
  readonly timeZone: string;
  /** Wall time `HH:mm`, `00:00` to `23:59`; `'instant'` does not look at it. */
  readonly cutoff: string;
  readonly calendar: BankCalendar;
}

const DAY_MS = 86_400_000;
const CUTOFF = /^([01]\d|2[0-3]):[0-5]\d$/;

/**
 * The first instant at which a refund is no longer held: `now >= eligibleAt` is `AUTHORIZED` (S 3.1).
 *
 * A later settlement never has an earlier threshold; with `'instant'`, apart from an hour that a
 * change of the clocks repeats on a business day. Where a change leaves the threshold's wall time
 * out, the threshold is the moment of the change; where it repeats it, the first occurrence.
 *
 * @param settledAt Milliseconds since the epoch.
 * @returns Milliseconds since the epoch.
 * @throws {RangeError} The threshold, or a day on the way, is after the calendar's `validUntil`.
 * @throws {TypeError} `settledAt` is no finite number, or `checkHold` refuses `hold`.
 */
export function eligibleAt(settledAt: number, hold: Hold): number {
  checkHold(hold);
  if (!Number.isFinite(settledAt)) throw new TypeError('"settledAt" must be a finite number of ms');
  const { businessDays, calendar, mode } = hold;
  const clock = wallClock(hold.timeZone);
  const settledWall = clock.read(settledAt);
  const settledDate = dateOf(Math.floor(settledWall / DAY_MS));
  const last = addBusinessDays(settledDate, businessDays, calendar);
  switch (mode) {
    case "date":
      return clock.firstInstantOf(startOf(last) + cutoffMs(hold));
    case "full-days":
      return clock.firstInstantOf(startOf(last) + DAY_MS + cutoffMs(hold));
    case "instant": {
      if (isBusinessDay(settledDate, calendar))
        return clock.firstInstantOf(startOf(last) + settledWall - startOf(settledDate));
      const next = addBusinessDays(settledDate, 1, calendar);
      return clock.firstInstantOf(startOf(addBusinessDays(next, businessDays, calendar)));
    }
    default:
      return mode satisfies never;
  }
}

function startOf(date: string): number {
  return dayOf(date) * DAY_MS;
}

function cutoffMs({ cutoff }: Hold): number {
  return Date.parse(`1970-01-01T${cutoff}:00.000Z`);
}

/**
 * Refuses a hold that no threshold can be computed from; for start-up, where a profile is read.
 *
 * @throws {TypeError} Names the member that is wrong.
 */
export function checkHold({ businessDays, mode, timeZone, cutoff, calendar }: Hold): void {
  if (!Number.isInteger(businessDays) || businessDays < 0 || businessDays > 366)
    throw new TypeError('"hold.businessDays" must be a whole number from 0 to 366');
  if (!["date", "full-days", "instant"].includes(mode))
    throw new TypeError('"hold.mode" must be "date", "full-days" or "instant"');
  if (!CUTOFF.test(cutoff)) throw new TypeError('"hold.cutoff" must be a wall time HH:mm');
  try {
    wallClock(timeZone);
  } catch {
    throw new TypeError('"hold.timeZone" must be an IANA time zone');
  }
  if (!["federal-reserve", "none"].includes(calendar.holidays))
    throw new TypeError('"hold.calendar.holidays" must be "federal-reserve" or "none"');
  if (!calendar.weekend.every((weekday) => [1, 2, 3, 4, 5, 6, 7].includes(weekday)))
    throw new TypeError('"hold.calendar.weekend" must hold weekdays from 1 to 7');
  for (const date of [...calendar.closed, ...calendar.open, calendar.validUntil]) dayOf(date);
}
