import { type HeadersLike, type HeadersObject, type Refused, refused } from "./scheme.ts";

/** Most characters of a header that a scheme reads. */
export const MAX_HEADER_LENGTH = 4096;

/** A header that a scheme reads. */
export interface HeaderName {
  /** In lower case; empty for none. */
  readonly name: string;
  readonly isRequired: boolean;
}

/** Reads a scheme's headers: their values in the scheme's order, or a refusal. */
export type ReadHeaders = (headers: HeadersLike) => readonly (string | undefined)[] | Refused;

/**
 * Creates a reader of the named headers in any case. Each must appear once, as text of at most 4,096 characters.
 * The reader throws a `TypeError` if `headers` is not an object.
 */
export function headerReader(names: readonly HeaderName[]): ReadHeaders {
  const places = new Map(names.map(({ name }, place) => [name, place]));
  // Few headers have a name as long as one of the scheme's: one bit per length skips most of the others.
  const lengths = names.reduce((bits, { name }) => bits | (1 << (name.length & 31)), 0);
  // Copied rather than grown: an array that grows out of order is slow to read.
  const nothing: readonly unknown[] = names.map(() => undefined);

  /** Returns the values, or the name that appears in two spellings. */
  function pick(headers: Readonly<Record<string, unknown>>): unknown[] | string {
    const found = nothing.slice();
    for (const key of Object.keys(headers)) {
      if (((lengths >>> (key.length & 31)) & 1) === 0) continue;
      const place = places.get(key) ?? places.get(key.toLowerCase());
      if (place === undefined) continue;
      const value = headers[key];
      if (value === undefined) continue;
      if (found[place] !== undefined) return key.toLowerCase();
      found[place] = value;
    }
    return found;
  }

  return (headers) => {
    checkHeaders(headers);
    const found = isHeadersObject(headers)
      ? names.map(({ name }) => (name === "" ? undefined : (headers.get(name) ?? undefined)))
      : pick(headers);
    if (typeof found === "string") {
      return refused("CS_SIGNATURE_HEADER_DUPLICATE", { header: found });
    }
    for (const [place, { name: header, isRequired }] of names.entries()) {
      const value = found[place];
      if (value === undefined) {
        if (isRequired && header !== "") return refused("CS_SIGNATURE_HEADER_MISSING", { header });
        continue;
      }
      if (Array.isArray(value)) return refused("CS_SIGNATURE_HEADER_DUPLICATE", { header });
      if (typeof value !== "string") return refused("CS_SIGNATURE_HEADER_INVALID", { header });
      if (value.length > MAX_HEADER_LENGTH) {
        return refused("CS_SIGNATURE_HEADER_TOO_LONG", { header });
      }
    }
    // Each is text or absent, as just checked.
    return found as readonly (string | undefined)[];
  };
}

/** Returns the values of a header, whose name is in lower case. */
export function headerValues(headers: HeadersLike, name: string): readonly string[] {
  checkHeaders(headers);
  if (isHeadersObject(headers)) return [headers.get(name) ?? []].flat();
  const values: string[] = [];
  for (const key of Object.keys(headers)) {
    if (key.length !== name.length || key.toLowerCase() !== name) continue;
    const value = headers[key];
    if (typeof value === "string") values.push(value);
    else if (value !== undefined) values.push(...[value].flat().map(String));
  }
  return values;
}

/** Returns headers as a record with names in lower case. */
export function headerRecord(headers: HeadersLike = {}): Readonly<Record<string, string>> {
  const isIterable = (value: object): value is Iterable<readonly [string, unknown]> =>
    Symbol.iterator in value;
  return Object.fromEntries(
    (isIterable(headers) ? [...headers] : Object.entries(headers))
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}

function checkHeaders(headers: HeadersLike): void {
  if (typeof headers !== "object" || headers === null) {
    throw new TypeError('invalid "headers": expected a Headers, or a record of names and values');
  }
}

function isHeadersObject(headers: HeadersLike): headers is HeadersObject {
  // A stranger's header values are text: none of them can be a function.
  return typeof headers.get === "function";
}
