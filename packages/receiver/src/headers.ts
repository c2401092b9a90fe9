import type { HeadersLike, HeadersObject } from "@countersign/signatures";

/**
 * The values of headers by their lower-case names, in any case of their spelling; `undefined` where
 * one is absent, `null` where it stands more than once: which of the two is meant is anybody's guess.
 */
export function headersOf(
  headers: HeadersLike,
  names: readonly string[],
): (string | null | undefined)[] {
  if (isHeadersObject(headers)) return names.map((name) => headers.get(name) ?? undefined);
  const found: (string | null | undefined)[] = names.map(() => undefined);
  for (const key in headers) {
    if (!Object.hasOwn(headers, key)) continue;
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] ?? "";
      if (key.length !== name.length || (key !== name && key.toLowerCase() !== name)) continue;
      const value = headers[key];
      if (value === undefined) continue;
      found[index] = found[index] === undefined && typeof value === "string" ? value : null;
    }
  }
  return found;
}

function isHeadersObject(headers: HeadersLike): headers is HeadersObject {
  return typeof headers.get === "function";
}
