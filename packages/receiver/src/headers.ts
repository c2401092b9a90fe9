import type { HeadersLike, HeadersObject } from "@countersign/signatures";

/**
 * One header's value, in any case of its name; `undefined` where it is absent.
 * `null` where it stands more than once: which of the two is meant is anybody's guess.
 */
export function headerOf(headers: HeadersLike, name: string): string | null | undefined {
  if (isHeadersObject(headers)) return headers.get(name) ?? undefined;
  let found: string | null | undefined;
  for (const key of Object.keys(headers)) {
    if (key.length !== name.length || key.toLowerCase() !== name) continue;
    const value = headers[key];
    if (value === undefined) continue;
    found = found === undefined && typeof value === "string" ? value : null;
  }
  return found;
}

function isHeadersObject(headers: HeadersLike): headers is HeadersObject {
  return typeof headers.get === "function";
}
