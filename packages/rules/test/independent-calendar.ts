import { closedWeekdays } from "./federal-calendar.ts";

const [DAY_MS, HOUR_MS] = [86_400_000, 3_600_000];
const newYork = new Intl.DateTimeFormat("en-CA", { timeZone: "America/New_York" });

/** True if banks are open on the date, by the Federal Reserve's published schedule. */
function isOpenDay(date: string): boolean {
  const closed = closedWeekdays[Number(date.slice(0, 4))] ?? "";
  const weekday = new Date(date).getUTCDay();
  return weekday !== 0 && weekday !== 6 && !closed.split(" ").includes(date.slice(5));
}

/** First instant of a date in New York, by Intl. */
export function startOfDay(date: string): number {
  const at = [4, 5]
    .map((hours) => Date.parse(date) + hours * HOUR_MS)
    .find((ms) => newYork.format(ms) === date && newYork.format(ms - 1) !== date);
  if (at === undefined) throw new Error(`${date} has no midnight in New York`);
  return at;
}

export const dateAfter = (date: string): string =>
  new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10);

/** When a refund of a payment that settled then is due: as the third open day after it begins in New York. */
export function thresholdOf(settledAt: number): number {
  let date = newYork.format(settledAt);
  for (let open = 0; open < 3; open += isOpenDay(date) ? 1 : 0) date = dateAfter(date);
  return startOfDay(date);
}
