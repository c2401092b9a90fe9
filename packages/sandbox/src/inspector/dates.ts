const DAY_MS = 86_400_000;

/** The date in a time zone at an instant, as `YYYY-MM-DD`. */
export function dateIn(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(at);
}

/** The first instant of a date in a time zone, in milliseconds, to the quarter of an hour. */
export function startOfDate(date: string, timeZone: string): number {
  const noon = Date.parse(`${date}T00:00:00.000Z`);
  // No zone is further than 14 hours from UTC, and all keep quarters of an hour.
  for (let at = noon - DAY_MS; at < noon + DAY_MS; at += 900_000) {
    if (dateIn(at, timeZone) === date) return at;
  }
  return noon;
}

/** The date after. */
export function nextDate(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00.000Z`) + DAY_MS).toISOString().slice(0, 10);
}
