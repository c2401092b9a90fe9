import { invalid, timeBetween, type Reader } from "../http/readers.ts";

/**
 * The latest time of a namespace's clock, in milliseconds. The bank calendar ends with 2035: a payment that settles by then
 * has a threshold under every profile, whose hold has at most 60 business days (S 3.1).
 */
export const LAST_INSTANT: number = Date.parse("2035-06-01T00:00:00.000Z");

/** Reads a time in UTC, ISO 8601 with `Z`, from 2000 to the last instant; in milliseconds. */
export const time: Reader<number> = timeBetween(
  Date.UTC(2000, 0),
  LAST_INSTANT,
  "from 2000 to 2035-06-01",
);

const DURATION =
  /^P(?!$)(?:(\d{1,5})D)?(?:T(?!$)(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,10}(?:\.\d{1,3})?)S)?)?$/;

/**
 * Reads an ISO 8601 duration (`P3D`, `PT1H30M`, `P1DT0.5S`), in milliseconds. A day is 24 hours. Rejects years, months and
 * weeks, since their length depends on where they begin or they are rarely meant.
 */
export const duration: Reader<number> = (value, place) => {
  const match = DURATION.exec(typeof value === "string" ? value : "");
  if (match === null) return invalid(place, "must be a duration such as P3D or PT1H30M");
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  return Math.round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000);
};
