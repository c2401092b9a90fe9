import { scanJson, type ScanErrorCode } from "./json-scan.ts";
import { decodeUtf8, encodeUtf8, firstBadByte } from "./json-tokens.ts";

export interface JsonOptions {
  /** Deepest allowed nesting of containers, 1 to 1024. Default 16. A lone `[]` is 1 deep. */
  readonly depth?: number;
  /**
   * Numbers whose source text is kept: `'all'`, or only those whose text is more precise than the parsed double.
   * Default `'inexact'`.
   */
  readonly numbers?: "all" | "inexact";
}

/**
 * The reason for which a body is refused. `offset` is in UTF-16 units of the decoded text; for `CS_JSON_ENCODING` of a
 * byte array, in bytes.
 * - `CS_JSON_ENCODING`: not well-formed UTF-8, or a string with a lone surrogate.
 * - `CS_JSON_BOM`: starts with a byte order mark (RFC 8259 section 8.1).
 * - `CS_JSON_EMPTY`: only whitespace.
 * - `CS_JSON_SYNTAX`: not JSON (RFC 8259), at the first unit that is not allowed.
 * - `CS_JSON_LONE_SURROGATE`: an escape such as `\ud800` without its other half.
 * - `CS_JSON_DUPLICATE_MEMBER`: an object has two members of one name, also through escapes.
 * - `CS_JSON_FORBIDDEN_MEMBER`: a member is named `__proto__`, `constructor` or `prototype`.
 * - `CS_JSON_DEPTH`: deeper than `depth`, at the bracket too many.
 * - `CS_JSON_POINTERS`: the pointers of the kept numbers are longer than 65,536 units plus 16 for each byte of the body:
 *   a long name above many numbers.
 */
export type JsonErrorCode = "CS_JSON_ENCODING" | "CS_JSON_BOM" | ScanErrorCode;

export type JsonReading =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** JSON Pointer (RFC 6901) of a number → its source text. */
      readonly numbers: ReadonlyMap<string, string>;
    }
  | { readonly ok: false; readonly code: JsonErrorCode; readonly offset: number };

const MAX_DEPTH = 1024;

/**
 * Parses a body as JSON (RFC 8259), strictly, and keeps the source text of its numbers. Everything is judged before
 * anything is built; an accepted body has the value that `JSON.parse` gives it. Never throws for what a stranger sends.
 *
 * @throws {TypeError} `body` is neither bytes nor text, or `depth` is not an integer from 1 to 1024.
 */
export function readJson(
  body: Uint8Array | string,
  { depth = 16, numbers = "inexact" }: JsonOptions = {},
): JsonReading {
  if (!Number.isSafeInteger(depth) || depth < 1 || depth > MAX_DEPTH)
    throw new TypeError(`"depth" must be a whole number from 1 to ${MAX_DEPTH}`);
  const isText = typeof body === "string";
  if (!isText && !(body instanceof Uint8Array))
    throw new TypeError('"body" must be a Uint8Array or a string');
  const text = isText ? body : decoded(body);
  if (text === undefined || (isText && !text.isWellFormed())) {
    const offset = isText ? firstLoneSurrogate(body) : firstBadByte(body);
    return { ok: false, code: "CS_JSON_ENCODING", offset };
  }
  if (text.startsWith("\u{feff}")) return { ok: false, code: "CS_JSON_BOM", offset: 0 };
  const bytes = isText ? encodeUtf8(body) : body;
  const scan = scanJson(bytes, { depth, numbers });
  if (!scan.ok) {
    // Each fault is at the start of a character.
    const offset = decodeUtf8(bytes.subarray(0, scan.offset)).length;
    return { ok: false, code: scan.code, offset };
  }
  const value: unknown = JSON.parse(text);
  return { ok: true, value, numbers: scan.numbers };
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return decodeUtf8(bytes);
  } catch {
    return undefined;
  }
}

function firstLoneSurrogate(text: string): number {
  let offset = 0;
  for (const character of text) {
    if (!character.isWellFormed()) break;
    offset += character.length;
  }
  return offset;
}
