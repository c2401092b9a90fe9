import { eligibleAt } from "@countersign/rules";
import { invalid, timeBetween, type Policy, type Reader } from "@countersign/service/internal";

const DAY_MS = 86_400_000;
/** The bank calendar ends with 2035: up to here every payment that settles has a threshold. */
const LAST: number = Date.parse("2035-12-01T00:00:00.000Z");
const DURATION =
  /^P(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,10})(?:\.(\d{1,3}))?S)?)?$/;

/** Reads a time in UTC, ISO 8601 with `Z`, from 2000 to the policy's last instant; in milliseconds. */
export const time: Reader<number> = (value, place) => {
  const last = lastInstant(place.context.policy);
  const end = new Date(last).toISOString().slice(0, 10);
  return timeBetween(Date.UTC(2000, 0), last, `from 2000 to ${end}`)(value, place);
};

/** Reads an ISO 8601 duration of days, hours, minutes and seconds, in milliseconds. */
export const duration: Reader<number> = (value, place) =>
  (typeof value === "string" ? parseDuration(value) : undefined) ??
  invalid(place, "must be a duration such as P3D or PT1H30M");

/**
 * Parses an ISO 8601 duration of days, hours, minutes and seconds (`P3D`, `PT1H30M`, `P1DT0.5S`) into
 * milliseconds. A day is 24 hours. Rejects years, months and weeks, since their length depends on where they
 * begin or they are rarely meant. Returns `undefined` for every other text, `P` and `PT` included.
 */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null || text === "P" || text.endsWith("T")) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1, 5)
    .map((digits) => Number(digits ?? 0));
  const fraction = Number((match[5] ?? "").padEnd(3, "0"));
  return days * DAY_MS + hours * 3_600_000 + minutes * 60_000 + seconds * 1000 + fraction;
}

/**
 * Returns the last instant that a namespace's clock may show, in milliseconds: a payment that settles then
 * still has a threshold (S 3.1). Beyond it the settlement could not be carried out.
 */
export function lastInstant({ hold }: Pick<Policy, "hold">): number {
  let last = LAST;
  while (!hasThreshold(last, hold)) last -= DAY_MS;
  return last;
}

function hasThreshold(settledAt: number, hold: Policy["hold"]): boolean {
  try {
    return Number.isFinite(eligibleAt(settledAt, hold));
  } catch (error) {
    // The calendar throws this for a day after its end.
    if (error instanceof RangeError) return false;
    throw error;
  }
}
