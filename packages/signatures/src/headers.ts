import type { SignatureErrorCode } from "./codes.ts";
import { MAX_HEADER_LENGTH } from "./grammar.ts";
import type { HeadersLike, HeadersObject } from "./scheme.ts";

const PRINTABLE = /^[\x20-\x7e]*$/;

/**
 * The values of the named headers, in the order of `names`, or why they cannot be read.
 *
 * @param names In lower case.
 * @throws {TypeError} `headers` is no object: a mistake of the caller.
 */
export function readHeaders(
  headers: HeadersLike,
  names: readonly string[],
): readonly string[] | SignatureErrorCode {
  if (typeof headers !== "object" || headers === null) {
    throw new TypeError('"headers" must be a Headers, or a record of names and values');
  }
  const found = isHeadersObject(headers)
    ? names.map((name) => headers.get(name) ?? undefined)
    : pick(headers, names);
  if (found === undefined) return "CS_SIGNATURE_HEADER_DUPLICATE";

  const values: string[] = [];
  for (const value of found) {
    if (value === undefined) return "CS_SIGNATURE_HEADER_MISSING";
    if (Array.isArray(value)) return "CS_SIGNATURE_HEADER_DUPLICATE";
    if (typeof value !== "string") return "CS_SIGNATURE_HEADER_INVALID";
    if (value.length > MAX_HEADER_LENGTH) return "CS_SIGNATURE_HEADER_TOO_LONG";
    if (!PRINTABLE.test(value)) return "CS_SIGNATURE_HEADER_INVALID";
    values.push(value);
  }
  return values;
}

function isHeadersObject(headers: HeadersLike): headers is HeadersObject {
  // A stranger's headers are texts: none of them can be a function.
  return typeof headers.get === "function";
}

/** The values of `names` in any spelling; `undefined` where one name is spelt in two ways. */
function pick(
  headers: Readonly<Record<string, unknown>>,
  names: readonly string[],
): readonly unknown[] | undefined {
  const found: unknown[] = names.map(() => undefined);
  for (const key of Object.keys(headers)) {
    for (const [index, name] of names.entries()) {
      if (key.length !== name.length || key.toLowerCase() !== name) continue;
      const value = headers[key];
      if (value === undefined) continue;
      if (found[index] !== undefined) return undefined;
      found[index] = value;
    }
  }
  return found;
}
