const DAY_MS = 86_400_000;
const DURATION =
  /^P(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,10})(?:\.(\d{1,3}))?S)?)?$/;

/**
 * An ISO 8601 duration in milliseconds, of days, hours, minutes and seconds: `P3D`, `PT1H30M`,
 * `P1DT0.5S`. A day is 24 hours. Years, months and weeks are not taken: their length depends on where
 * they begin, or they are rarely meant. `undefined` for every other text, `P` and `PT` included.
 */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null || text === "P" || text.endsWith("T")) return undefined;
  const [days, hours, minutes, seconds] = match.slice(1, 5).map((digits) => Number(digits ?? 0));
  const fraction = Number((match[5] ?? "").padEnd(3, "0"));
  return (
    (days ?? 0) * DAY_MS +
    (hours ?? 0) * 3_600_000 +
    (minutes ?? 0) * 60_000 +
    (seconds ?? 0) * 1000 +
    fraction
  );
}
