import type { Profile } from "@countersign/schemas/profiles";
import type { DeprecatedPath } from "./policy.ts";

/**
 * Returns the paths that a profile deprecates.
 *
 * @throws {TypeError} A date is not valid, or a path ends before the profile's months of notice are over.
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
  // The round trip refuses dates that `Date.parse` accepts, such as 30 February.
  if (Number.isNaN(instant) || !new Date(instant).toISOString().startsWith(text)) {
    throw new TypeError(`${text} is not a YYYY-MM-DD date`);
  }
  return instant;
}

function monthsAfter(instant: number, months: number): number {
  const date = new Date(instant);
  return date.setUTCMonth(date.getUTCMonth() + months);
}

/**
 * Returns the headers of a deprecated path: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and the `Link` to
 * a page with the alternative. Of several entries the longest path decides.
 *
 * @param path A route's path, in Express's notation.
 */
export function deprecationHeaders(
  deprecated: readonly DeprecatedPath[],
  path: string,
): Readonly<Record<string, string>> {
  const [entry] = deprecated
    .filter((one) => path === one.path || path.startsWith(`${one.path}/`))
    .toSorted((one, other) => other.path.length - one.path.length);
  if (entry === undefined) return {};
  const { since, sunset, link } = entry;
  return {
    // RFC 9745, section 2.1: a date of structured fields, in seconds.
    deprecation: `@${Math.floor(since / 1000)}`,
    ...(sunset !== undefined && { sunset: new Date(sunset).toUTCString() }),
    ...(link !== undefined && { link: `<${link}>; rel="deprecation"; type="text/html"` }),
  };
}
