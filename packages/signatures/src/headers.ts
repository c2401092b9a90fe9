import type { SignatureErrorCode } from "./codes.ts";
import { MAX_HEADER_LENGTH } from "./grammar.ts";
import type { HeadersLike, HeadersObject } from "./scheme.ts";

/** Reads a scheme's headers: their values in the scheme's order, or why they cannot be read. */
export type ReadHeaders = (headers: HeadersLike) => readonly string[] | SignatureErrorCode;

/**
 * A reader of the named headers in any case. Each must be there once, as a text of at most 4,096
 * characters.
 *
 * The reader throws a `TypeError` where `headers` is no object: a mistake of the caller.
 */
export function headerReader(headerNames: readonly string[]): ReadHeaders {
  const names = headerNames.map((name) => name.toLowerCase());
  const places = new Map(names.map((name, place) => [name, place]));
  // Few headers have a name as long as one of the scheme's: a bit for each length passes the
  // others over at once.
  const lengths = names.reduce((bits, { length }) => bits | (1 << (length & 31)), 0);

  // Copied rather than grown: an array that grows out of order costs as much as the look-up.
  const nothing: readonly unknown[] = names.map(() => undefined);

  function ask(headers: HeadersObject): readonly unknown[] {
    return names.map((name) => headers.get(name) ?? undefined);
  }

  /** `undefined` where one name is spelt in two ways. */
  function pick(headers: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
    const found = nothing.slice();
    for (const key of Object.keys(headers)) {
      if (((lengths >>> (key.length & 31)) & 1) === 0) continue;
      const place = places.get(key) ?? places.get(key.toLowerCase());
      if (place === undefined) continue;
      const value = headers[key];
      if (value === undefined) continue;
      if (found[place] !== undefined) return undefined;
      found[place] = value;
    }
    return found;
  }

  return (headers) => {
    if (typeof headers !== "object" || headers === null) {
      throw new TypeError('"headers" must be a Headers, or a record of names and values');
    }
    const found = isHeadersObject(headers) ? ask(headers) : pick(headers);
    if (found === undefined) return "CS_SIGNATURE_HEADER_DUPLICATE";
    for (let place = 0; place < names.length; place++) {
      const value = found[place];
      if (value === undefined) return "CS_SIGNATURE_HEADER_MISSING";
      if (typeof value !== "string") {
        return Array.isArray(value)
          ? "CS_SIGNATURE_HEADER_DUPLICATE"
          : "CS_SIGNATURE_HEADER_INVALID";
      }
      if (value.length > MAX_HEADER_LENGTH) return "CS_SIGNATURE_HEADER_TOO_LONG";
    }
    // Each has just been seen to be a text.
    return found as readonly string[];
  };
}

function isHeadersObject(headers: HeadersLike): headers is HeadersObject {
  // A stranger's headers are texts: none of them can be a function.
  return typeof headers.get === "function";
}
