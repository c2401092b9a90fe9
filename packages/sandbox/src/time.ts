import type { Policy } from "@countersign/service";
import { parseDuration } from "./duration.ts";
import { lastInstant } from "./last-instant.ts";
import { invalid, type Reader } from "./members.ts";

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/;

/** A time in UTC, ISO 8601 with `Z`, from 2000 to the policy's last instant; in milliseconds. */
export function timeWithin(policy: Pick<Policy, "hold">): Reader<number> {
  return (value, { pointer }) => {
    const at = typeof value === "string" && TIME.test(value) ? Date.parse(value) : Number.NaN;
    const last = lastInstant(policy);
    if (at >= Date.UTC(2000, 0) && at <= last) return { ok: true, value: at };
    const end = new Date(last).toISOString().slice(0, 10);
    return invalid(pointer, `must be a time such as 2026-11-20T15:00:00.000Z, from 2000 to ${end}`);
  };
}

/** An ISO 8601 duration of days, hours, minutes and seconds, in milliseconds. */
export const duration: Reader<number> = (value, { pointer }) => {
  const length = typeof value === "string" ? parseDuration(value) : undefined;
  return length === undefined
    ? invalid(pointer, "must be a duration such as P3D or PT1H30M")
    : { ok: true, value: length };
};
