import type { Profile } from "@countersign/schemas/profiles";
import type { DeprecatedPath } from "./policy.ts";

/**
 * What a profile deprecates.
 *
 * @throws {TypeError} A day is none, or a path ends before the profile's months of notice are over.
 */
export function deprecatedOf({ deprecation }: Pick<Profile, "deprecation">): DeprecatedPath[] {
  const { deprecated = [], noticeMonths } = deprecation;
  return deprecated.map(({ path, since, sunset, link }) => {
    const from = dayOf(since);
    const until = sunset === undefined ? undefined : dayOf(sunset);
    if (until !== undefined && until < monthsAfter(from, noticeMonths)) {
      throw new TypeError(`${path} must end ${noticeMonths} months or more after ${since}`);
    }
    return { path, since: from, sunset: until, link };
  });
}

/** @param text `YYYY-MM-DD`. */
function dayOf(text: string): number {
  const instant = Date.parse(`${text}T00:00:00.000Z`);
  // The round trip refuses what `Date.parse` forgives, such as 30 February.
  if (Number.isNaN(instant) || !new Date(instant).toISOString().startsWith(text)) {
    throw new TypeError(`${text} is no day`);
  }
  return instant;
}

function monthsAfter(instant: number, months: number): number {
  const date = new Date(instant);
  return date.setUTCMonth(date.getUTCMonth() + months);
}
