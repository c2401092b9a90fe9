const SECOND_MS = 1000;
const DAY_MS = 86_400_000;

/** What a zone's clocks and calendars show. */
export interface WallClock {
  /** The wall time of an instant (ms since the epoch), in ms as if it were UTC. */
  readonly read: (instant: number) => number;
  /**
   * The first instant at which the zone's clocks show `wall` or later: where a clock change repeats a
   * wall time, its first occurrence; where one leaves it out, the moment of the change.
   */
  readonly firstInstantOf: (wall: number) => number;
}

/**
 * The clock of an IANA time zone, from `Intl`.
 *
 * @throws {RangeError} There is no such time zone.
 */
export function wallClock(timeZone: string): WallClock {
  const format = formatOf(timeZone);
  const read = (instant: number): number => {
    // In the order of American English, whatever stands between them; parts would take twice as long.
    const numbers = format.format(instant).match(/\d+/g) ?? [];
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = numbers.map(Number);
    const whole = Date.UTC(year, month - 1, day, hour, minute, second);
    return whole + (instant - Math.floor(instant / SECOND_MS) * SECOND_MS);
  };
  return { read, firstInstantOf: (wall) => firstInstantOf(wall, read) };
}

// Making a format takes a hundred times as long as using it. Formats never change, so that whoever
// shares one notices nothing; names of zones come from profiles, and are bounded all the same.
const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 32;

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  if (formats.size < MAX_FORMATS) formats.set(timeZone, format);
  return format;
}

function firstInstantOf(wall: number, read: WallClock["read"]): number {
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
