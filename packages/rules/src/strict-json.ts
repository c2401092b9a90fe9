import { scanJson, type ScanErrorCode } from "./json-scan.ts";
import { decodeUtf8, encodeUtf8, firstBadByte } from "./utf8.ts";

export interface JsonOptions {
  /** How many containers may stand inside each other, 1 to 1024. Default 16. A lone `[]` is 1 deep. */
  readonly depth?: number;
  /**
   * Which numbers' source texts are held. `'inexact'` (default): those that carry more than the parsed
   * double, by more than 15 significant digits, overflow or underflow. `'all'`: every number.
   */
  readonly numbers?: "all" | "inexact";
}

/**
 * Why a body is refused. `offset` is in UTF-16 units of the decoded text, for `CS_JSON_ENCODING` of a
 * byte array in bytes.
 * - `CS_JSON_ENCODING`: not well-formed UTF-8, or a string with a lone surrogate in it.
 * - `CS_JSON_BOM`: starts with a byte order mark (RFC 8259 section 8.1).
 * - `CS_JSON_EMPTY`: nothing but whitespace.
 * - `CS_JSON_SYNTAX`: not JSON (RFC 8259); the offset is that of the first unit that cannot stand.
 * - `CS_JSON_LONE_SURROGATE`: an escape such as `\ud800` without its other half.
 * - `CS_JSON_DUPLICATE_MEMBER`: an object names a member twice, also through escapes.
 * - `CS_JSON_FORBIDDEN_MEMBER`: a member is named `__proto__`, `constructor` or `prototype`.
 * - `CS_JSON_DEPTH`: deeper than `depth`; the offset is that of the bracket too many.
 * - `CS_JSON_POINTERS`: the pointers of the numbers held are longer than 65,536 units and 16 for
 *   each byte of the body together: a long name above many numbers.
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
 * Reads a body as JSON (RFC 8259), strictly, and keeps the source text of its numbers. Everything is
 * judged before anything is built; what is accepted, `JSON.parse` reads to the same value.
 *
 * @param body The bytes as they arrived, or a text.
 * @returns The value, or the first fault. Nothing that a stranger sends makes it throw.
 * @throws {TypeError} `body` is neither bytes nor text, or `depth` is not a whole number from 1 to 1024.
 */
export function readJson(
  body: Uint8Array | string,
  { depth = 16, numbers = "inexact" }: JsonOptions = {},
): JsonReading {
  if (!Number.isSafeInteger(depth) || depth < 1 || depth > MAX_DEPTH)
    throw new TypeError(`"depth" must be a whole number from 1 to ${MAX_DEPTH}`);
  if (typeof body === "string") {
    if (!body.isWellFormed())
      return { ok: false, code: "CS_JSON_ENCODING", offset: firstLoneSurrogate(body) };
    return read({ text: body, bytes: encodeUtf8(body) }, { depth, numbers });
  }
  if (!(body instanceof Uint8Array)) throw new TypeError('"body" must be a Uint8Array or a string');
  let text: string;
  try {
    text = decodeUtf8(body);
  } catch {
    return { ok: false, code: "CS_JSON_ENCODING", offset: firstBadByte(body) };
  }
  return read({ text, bytes: body }, { depth, numbers });
}

function read(
  { text, bytes }: { readonly text: string; readonly bytes: Uint8Array },
  options: Required<JsonOptions>,
): JsonReading {
  if (text.startsWith("\u{feff}")) return { ok: false, code: "CS_JSON_BOM", offset: 0 };
  const scan = scanJson(bytes, options);
  if (!scan.ok) {
    // Each fault stands at the start of a character.
    const offset = decodeUtf8(bytes.subarray(0, scan.offset)).length;
    return { ok: false, code: scan.code, offset };
  }
  const value: unknown = JSON.parse(text);
  return { ok: true, value, numbers: scan.numbers };
}

function firstLoneSurrogate(text: string): number {
  let offset = 0;
  for (const character of text) {
    if (!character.isWellFormed()) break;
    offset += character.length;
  }
  return offset;
}
