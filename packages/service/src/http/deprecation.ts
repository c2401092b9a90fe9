import type { DeprecatedPath } from "../policy.ts";

/**
 * The fields that say that a path is deprecated: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and the
 * `Link` to what to do instead. Of several entries the longest path decides.
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
