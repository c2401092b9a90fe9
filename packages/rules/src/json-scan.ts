import { addName, isForbidden, nameAt, type Frame, type NameStack } from "./json-names.ts";
import {
  decodeUtf8,
  endOfNumber,
  endOfString,
  endOfWord,
  isInexact,
  isSurrogateEscape,
  skipSpace,
} from "./json-tokens.ts";

/** The reason for which the scan refuses a body; see `JsonErrorCode`. */
export type ScanErrorCode =
  | "CS_JSON_EMPTY"
  | "CS_JSON_SYNTAX"
  | "CS_JSON_LONE_SURROGATE"
  | "CS_JSON_DUPLICATE_MEMBER"
  | "CS_JSON_FORBIDDEN_MEMBER"
  | "CS_JSON_DEPTH"
  | "CS_JSON_POINTERS";

export type Scan =
  | { readonly ok: true; readonly numbers: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly code: ScanErrorCode; readonly offset: number };

interface ScanOptions {
  readonly depth: number;
  readonly numbers: "all" | "inexact";
}

// A long name above many numbers would otherwise be copied into the pointer of each: a body of
// 64 KiB could ask for half a gigabyte.
const POINTERS_AT_LEAST = 65_536;
const POINTERS_PER_BYTE = 16;

/** Most bodies have none to keep. */
const NO_NUMBERS: ReadonlyMap<string, string> = new Map();

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Scans well-formed UTF-8 once from left to right and keeps only the open containers and their names: before anything is
 * built, the body is known to be JSON (RFC 8259) without duplicates, forbidden names and lone surrogate escapes, and no
 * deeper than allowed. No recursion, so that no depth overflows the stack. Offsets are in bytes.
 */
export function scanJson(bytes: Uint8Array, { depth, numbers }: ScanOptions): Scan {
  const frames: Frame[] = [];
  const names: NameStack = { quotes: [], count: 0 };
  let found: Map<string, string> | undefined;
  let pointersLeft = POINTERS_AT_LEAST + POINTERS_PER_BYTE * bytes.length;
  let top: Frame | undefined;

  let at = skipSpace(bytes, 0);
  if (at === bytes.length) return refuse("CS_JSON_EMPTY", 0);

  for (;;) {
    // A value starts here.
    const byte = bytes[at] ?? 0;
    const isOpening = byte === OPEN_OBJECT || byte === OPEN_ARRAY;
    let end: number;
    if (isOpening) {
      if (frames.length === depth) return refuse("CS_JSON_DEPTH", at);
      top = { isObject: byte === OPEN_OBJECT, base: names.count, at: 0, many: undefined };
      frames.push(top);
      end = at + 1;
    } else {
      end = endOfScalar(bytes, at);
      if (end < 0)
        return byte === QUOTE ? refuseString(bytes, ~end) : refuse("CS_JSON_SYNTAX", ~end);
      const isKept =
        isNumberStart(byte) && (numbers === "all" || isInexact(bytes, { from: at, end }));
      if (isKept) {
        const pointer = pointerOf(bytes, frames);
        pointersLeft -= pointer.length;
        if (pointersLeft < 0) return refuse("CS_JSON_POINTERS", at);
        const source = decodeUtf8(bytes.subarray(at, end));
        found = (found ?? new Map<string, string>()).set(pointer, source);
      }
    }

    // Containers that end after it.
    at = skipSpace(bytes, end);
    let isFirst = isOpening;
    while (top !== undefined && bytes[at] === (top.isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) {
      names.count = top.base;
      frames.pop();
      top = frames.at(-1);
      isFirst = false;
      at = skipSpace(bytes, at + 1);
    }
    if (top === undefined) {
      if (at < bytes.length) return refuse("CS_JSON_SYNTAX", at);
      return { ok: true, numbers: found ?? NO_NUMBERS };
    }

    // The next element, or the next member up to its value.
    if (!isFirst) {
      if (bytes[at] !== COMMA) return refuse("CS_JSON_SYNTAX", at);
      at = skipSpace(bytes, at + 1);
    }
    if (top.isObject) {
      if (bytes[at] !== QUOTE) return refuse("CS_JSON_SYNTAX", at);
      const nameEnd = endOfString(bytes, at);
      if (nameEnd < 0) return refuseString(bytes, ~nameEnd);
      if (isForbidden(bytes, { quote: at, end: nameEnd }))
        return refuse("CS_JSON_FORBIDDEN_MEMBER", at);
      if (!addName(names, top, bytes, at)) return refuse("CS_JSON_DUPLICATE_MEMBER", at);
      at = skipSpace(bytes, nameEnd);
      if (bytes[at] !== COLON) return refuse("CS_JSON_SYNTAX", at);
      at = skipSpace(bytes, at + 1);
    } else if (!isFirst) {
      top.at += 1;
    }
  }
}

function refuse(code: ScanErrorCode, offset: number): Scan {
  return { ok: false, code, offset };
}

function endOfScalar(bytes: Uint8Array, from: number): number {
  const byte = bytes[from];
  if (byte === QUOTE) return endOfString(bytes, from);
  if (byte === 0x74) return endOfWord(bytes, from, "true");
  if (byte === 0x66) return endOfWord(bytes, from, "false");
  if (byte === 0x6e) return endOfWord(bytes, from, "null");
  return endOfNumber(bytes, from);
}

function refuseString(bytes: Uint8Array, offset: number): Scan {
  const isLone = isSurrogateEscape(bytes, offset);
  return refuse(isLone ? "CS_JSON_LONE_SURROGATE" : "CS_JSON_SYNTAX", offset);
}

function isNumberStart(byte: number): boolean {
  return byte === MINUS || (byte >= 0x30 && byte <= 0x39);
}

/** Returns the JSON Pointer (RFC 6901) of the innermost container's current value. */
function pointerOf(bytes: Uint8Array, frames: readonly Frame[]): string {
  let pointer = "";
  for (const { isObject, at } of frames) {
    const token = isObject
      ? nameAt(bytes, at).replaceAll("~", "~0").replaceAll("/", "~1")
      : String(at);
    pointer += `/${token}`;
  }
  return pointer;
}
