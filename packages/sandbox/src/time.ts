import { parseDuration } from "./duration.ts";
import { invalid, type Reader } from "./members.ts";

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/;
/** The bank calendar ends with 2035; a later threshold could not be told. */
export const LAST_INSTANT: number = Date.parse("2035-12-01T00:00:00.000Z");

/** A time in UTC, ISO 8601 with `Z`, from 2000 until the bank calendar ends; in milliseconds. */
export const time: Reader<number> = (value, { pointer }) => {
  const at = typeof value === "string" && TIME.test(value) ? Date.parse(value) : Number.NaN;
  return at >= Date.UTC(2000, 0) && at <= LAST_INSTANT
    ? { ok: true, value: at }
    : invalid(pointer, "must be a time such as 2026-11-20T15:00:00.000Z, from 2000 to 2035-12-01");
};

/** An ISO 8601 duration of days, hours, minutes and seconds, in milliseconds. */
export const duration: Reader<number> = (value, { pointer }) => {
  const length = typeof value === "string" ? parseDuration(value) : undefined;
  return length === undefined
    ? invalid(pointer, "must be a duration such as P3D or PT1H30M")
    : { ok: true, value: length };
};
