import { closedWeekdays } from "../../../rules/test/federal-calendar.ts";

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
    const date = new Date(day);
    const closed = closedWeekdays[date.getUTCFullYear()]?.split(" ") ?? [];
    const isWeekend = [0, 6].includes(date.getUTCDay());
    if (!isWeekend && !closed.includes(date.toISOString().slice(5, 10))) left -= 1;
  }
  const [summer, winter] = [day + 4 * 3_600_000, day + 5 * 3_600_000];
  return newYork.format(summer).endsWith("00:00") ? summer : winter;
}
