// Written down from the Federal Reserve Banks' published schedule (K.8), not computed by the rule that
// the service has: weekdays without business.
const CLOSED = new Set(
  `2026-01-01 2026-01-19 2026-02-16 2026-05-25 2026-06-19 2026-09-07 2026-10-12 2026-11-11 2026-11-26
   2026-12-25 2027-01-01 2027-01-18 2027-02-15 2027-05-31 2027-07-05 2027-09-06 2027-10-11 2027-11-11
   2027-11-25 2028-01-17 2028-02-21 2028-05-29 2028-06-19 2028-07-04 2028-09-04 2028-10-09 2028-11-23
   2028-12-25`.split(/\s+/),
);
/** The instants between which the table answers, in milliseconds. */
export const FIRST: number = Date.parse("2026-01-01T12:00:00.000Z");
export const LAST: number = Date.parse("2028-12-01T00:00:00.000Z");

const DAY_MS = 86_400_000;
const newYork = new Intl.DateTimeFormat("sv-SE", {
  timeZone: "America/New_York",
  dateStyle: "short",
  timeStyle: "short",
});

/** The first instant of the third business day after a settlement's date in New York (S 3.1). */
export function thresholdOf(settledAt: number): number {
  let day = Date.parse(newYork.format(settledAt).slice(0, 10));
  for (let left = 3; left > 0;) {
    day += DAY_MS;
    const date = new Date(day).toISOString().slice(0, 10);
    const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
    if (!isWeekend && !CLOSED.has(date)) left -= 1;
  }
  const midnight = `${new Date(day).toISOString().slice(0, 10)} 00:00`;
  const at = [4, 5].map((hours) => day + hours * 3_600_000);
  const found = at.find((instant) => newYork.format(instant) === midnight);
  if (found === undefined) throw new Error(`${midnight} is not in New York`);
  return found;
}
