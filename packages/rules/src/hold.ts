import { addBusinessDays, type BankCalendar, dateOf, dayOf } from "./business-days.ts";

/** The time for which a refund is held after the original payment's settlement (S 3.1, S 8), and the bank's own dates. */
export interface Hold extends BankCalendar {
  /** Business days strictly after the settlement's date, 0 (that date itself) or more; 3 by S 8. */
  readonly businessDays: number;
  /** IANA time zone in which dates are read. */
  readonly timeZone: string;
  /** Wall time `HH:mm`, `00:00` to `23:59`, of the last of them at which the hold ends. */
  readonly cutoff: string;
}

const DAY_MS = 86_400_000;
const CUTOFF = /^([01]\d|2[0-3]):[0-5]\d$/;

/**
 * Returns the first instant, in ms, from which a refund is `AUTHORIZED` (S 3.1).
 *
 * A later settlement never has an earlier threshold. If a clock change skips the threshold's wall time, the threshold is the moment of the change; if it
 * repeats it, the first occurrence.
 *
 * @param settledAt Milliseconds since the epoch.
 * @throws {RangeError} The threshold, or a day before it, is after the bank calendar's last date.
 */
export function eligibleAt(settledAt: number, hold: Hold): number {
  const read = wallClock(hold.timeZone);
  const settledDate = dateOf(Math.floor(read(settledAt) / DAY_MS));
  const last = addBusinessDays(settledDate, hold.businessDays, hold);
  return firstInstantOf(Date.parse(`${last}T${hold.cutoff}:00.000Z`), read);
}

/**
 * Checks what the schema of profiles cannot say of a hold.
 *
 * @throws {TypeError} Names the member that is wrong.
 */
export function checkHold({ timeZone, cutoff, closed, open }: Hold): void {
  if (!CUTOFF.test(cutoff)) throw new TypeError('"hold.cutoff" must be a wall time HH:mm');
  try {
    wallClock(timeZone);
  } catch {
    throw new TypeError('"hold.timeZone" must be an IANA time zone');
  }
  for (const date of [...closed, ...open]) dayOf(date);
}

/** Returns the wall time of an instant (ms since the epoch), in ms as if it were UTC. */
type WallClock = (instant: number) => number;

// Making a format takes 70 times as long as using it. Formats never change, so that whoever shares
// one notices nothing. They are few: names of zones come from profiles.
const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * Creates the clock of an IANA time zone.
 *
 * @throws {RangeError} The time zone does not exist.
 */
function wallClock(timeZone: string): WallClock {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  formats.set(timeZone, format);
  return (instant) => {
    // In the order of American English, whatever stands between them; parts would take twice as long.
    const numbers = format.format(instant).split(/\D+/).map(Number);
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = numbers;
    const whole = Date.UTC(year, month - 1, day, hour, minute, second);
    return whole + (instant - Math.floor(instant / 1000) * 1000);
  };
}

/**
 * Returns the first instant at which a zone's clocks show `wall` or later: the first occurrence of a repeated wall time,
 * and the moment of the change for a skipped one.
 */
function firstInstantOf(wall: number, read: WallClock): number {
  // The zone's offsets a day before and a day after: wall time is within 14 hours of UTC, so that
  // a change of the clocks that matters lies between the two.
  const before = wall - (read(wall - DAY_MS) - (wall - DAY_MS));
  const after = wall - (read(wall + DAY_MS) - (wall + DAY_MS));
  let early = Math.min(before, after);
  let late = Math.max(before, after);
  if (read(early) === wall) return early;
  // A change of the clocks, forward or back, lies near. From `early` on the clocks run forward, and
  // at `late` they show this wall time, or a later one where the change leaves it out.
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (read(middle) < wall) early = middle;
    else late = middle;
  }
  return late;
}
