import type { HeadersLike, HeadersObject } from "@countersign/signatures";

/** Reads headers: their values in the order of the names that it was made for. */
export type ReadHeaders = (headers: HeadersLike) => (string | null | undefined)[];

/**
 * A reader of headers by their lower-case names, in any case of their spelling; a value is `undefined`
 * where one is absent, `null` where it stands more than once: which of the two is meant is anybody's guess.
 */
export function headersOf(names: readonly string[]): ReadHeaders {
  // Few headers have a name as long as one of these: a bit for each length passes the others over at once.
  const lengths = names.reduce((bits, { length }) => bits | (1 << (length & 31)), 0);
  const nothing = names.map((): string | null | undefined => undefined);

  return (headers) => {
    if (isHeadersObject(headers)) return names.map((name) => headers.get(name) ?? undefined);
    const found = nothing.slice();
    for (const key of Object.keys(headers)) {
      if (((lengths >>> (key.length & 31)) & 1) === 0) continue;
      const index = names.indexOf(key.toLowerCase());
      const value = headers[key];
      if (index === -1 || value === undefined) continue;
      found[index] = found[index] === undefined && typeof value === "string" ? value : null;
    }
    return found;
  };
}

function isHeadersObject(headers: HeadersLike): headers is HeadersObject {
  return typeof headers.get === "function";
}
