import { type HeadersLike, type HeadersObject, type Refused, refused } from "./scheme.ts";

/** Most characters of a header that a scheme reads. */
const MAX_HEADER_LENGTH = 4096;

/**
 * Returns the names of headers as they are spelt; none of a `Headers`, which is asked by name.
 *
 * @throws {TypeError} `headers` is not an object.
 */
export function headerNames(headers: HeadersLike): readonly string[] {
  if (typeof headers !== "object" || headers === null)
    throw new TypeError('invalid "headers": expected a Headers, or a record of names and values');
  return isHeadersObject(headers) ? [] : Object.keys(headers);
}

/**
 * Returns the value of a header in any case, which must be one text of at most 4,096 characters, or `undefined`.
 *
 * @param names The result of `headerNames`.
 * @param name In lower case.
 */
export function headerAt(
  headers: HeadersLike,
  names: readonly string[],
  name: string,
): string | Refused | undefined {
  const refuse = (code: Refused["code"]): Refused => refused(code, { header: name });
  let value: unknown;
  if (isHeadersObject(headers)) value = headers.get(name) ?? undefined;
  else {
    const last = name.length - 1;
    for (const key of names) {
      // Few names have the length and the last letter of another: the others are not copied.
      if (key.length !== name.length || ((key.charCodeAt(last) ^ name.charCodeAt(last)) & 31) !== 0)
        continue;
      if (key !== name && key.toLowerCase() !== name) continue;
      if (headers[key] === undefined) continue;
      if (value !== undefined) return refuse("CS_SIGNATURE_HEADER_DUPLICATE");
      value = headers[key];
    }
  }
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return refuse("CS_SIGNATURE_HEADER_DUPLICATE");
  if (typeof value !== "string") return refuse("CS_SIGNATURE_HEADER_INVALID");
  return value.length > MAX_HEADER_LENGTH ? refuse("CS_SIGNATURE_HEADER_TOO_LONG") : value;
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
