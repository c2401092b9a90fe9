import { type HeadersLike, type HeadersObject, type Refused, refused } from "./scheme.ts";

/** Most characters of a header that a scheme reads. */
const MAX_HEADER_LENGTH = 4096;

/** Returns the value of a header by its name in lower case: one text of at most 4,096 characters, or `undefined`. */
export type ReadHeader = (name: string) => string | Refused | undefined;

/**
 * Returns a reader of headers, whose names may be in any case.
 *
 * @throws {TypeError} `headers` is not an object.
 */
export function headerReader(headers: HeadersLike): ReadHeader {
  if (typeof headers !== "object" || headers === null)
    throw new TypeError('invalid "headers": expected a Headers, or a record of names and values');
  if (isHeadersObject(headers)) return (name) => checked(headers.get(name) ?? undefined, name);
  const names = Object.keys(headers);
  return (name) => {
    const last = name.length - 1;
    let value: unknown;
    for (const key of names) {
      // Few names have the length and the last letter of another: the others are not copied.
      if (key.length !== name.length || ((key.charCodeAt(last) ^ name.charCodeAt(last)) & 31) !== 0)
        continue;
      if (headers[key] === undefined || (key !== name && key.toLowerCase() !== name)) continue;
      if (value !== undefined) return refused("CS_SIGNATURE_HEADER_DUPLICATE", { header: name });
      value = headers[key];
    }
    return checked(value, name);
  };
}

function checked(value: unknown, header: string): string | Refused | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return refused("CS_SIGNATURE_HEADER_DUPLICATE", { header });
  if (typeof value !== "string") return refused("CS_SIGNATURE_HEADER_INVALID", { header });
  return value.length > MAX_HEADER_LENGTH
    ? refused("CS_SIGNATURE_HEADER_TOO_LONG", { header })
    : value;
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

function isHeadersObject(headers: HeadersLike): headers is HeadersObject {
  // A stranger's header values are text: none of them can be a function.
  return typeof headers.get === "function";
}
