import { addName, nameAt, type Frame, type NameStack } from "./json-names.ts";
import {
  endOfNumber,
  endOfString,
  endOfWord,
  isSurrogateEscape,
  skipSpace,
} from "./json-tokens.ts";
import { isInexact } from "./number-text.ts";

/** Why a text is refused by the scan; `JsonErrorCode` explains each. */
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

// A long name above many numbers would otherwise be copied into the pointer of each: 64 KiB of text
// could ask for half a gigabyte.
const POINTERS_AT_LEAST = 65_536;
const POINTERS_PER_UNIT = 16;

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Walks a text once, left to right, and holds nothing but the open containers and their names: by the
 * time that anything is built, the text is known to be JSON (RFC 8259) without duplicates, forbidden
 * names and lone surrogate escapes, and no deeper than asked. No recursion, so that no depth
 * overflows the stack.
 */
export function scanJson(text: string, { depth, numbers }: ScanOptions): Scan {
  const frames: Frame[] = [];
  const names: NameStack = { quotes: [], hashes: [], count: 0 };
  const found = new Map<string, string>();
  let pointersLeft = POINTERS_AT_LEAST + POINTERS_PER_UNIT * text.length;
  let top: Frame | undefined;

  let at = skipSpace(text, 0);
  if (at === text.length) return refuse("CS_JSON_EMPTY", 0);

  for (;;) {
    // A value starts here.
    const unit = text.charCodeAt(at);
    const isOpening = unit === OPEN_OBJECT || unit === OPEN_ARRAY;
    let end: number;
    if (isOpening) {
      if (frames.length === depth) return refuse("CS_JSON_DEPTH", at);
      top = { isObject: unit === OPEN_OBJECT, base: names.count, at: 0, many: undefined };
      frames.push(top);
      end = at + 1;
    } else {
      end = endOfScalar(text, at);
      if (end < 0)
        return unit === QUOTE ? refuseString(text, ~end) : refuse("CS_JSON_SYNTAX", ~end);
      if (unit === MINUS || isDigit(unit)) {
        const source = text.slice(at, end);
        if (numbers === "all" || isInexact(source)) {
          const pointer = pointerOf(text, frames);
          pointersLeft -= pointer.length;
          if (pointersLeft < 0) return refuse("CS_JSON_POINTERS", at);
          found.set(pointer, source);
        }
      }
    }

    // Containers that end after it.
    at = skipSpace(text, end);
    let isFirst = isOpening;
    while (
      top !== undefined &&
      text.charCodeAt(at) === (top.isObject ? CLOSE_OBJECT : CLOSE_ARRAY)
    ) {
      names.count = top.base;
      frames.pop();
      top = frames.at(-1);
      isFirst = false;
      at = skipSpace(text, at + 1);
    }
    if (top === undefined) {
      if (at < text.length) return refuse("CS_JSON_SYNTAX", at);
      return { ok: true, numbers: found };
    }

    // The next element, or the next member up to its value.
    if (!isFirst) {
      if (text.charCodeAt(at) !== COMMA) return refuse("CS_JSON_SYNTAX", at);
      at = skipSpace(text, at + 1);
    }
    if (top.isObject) {
      if (text.charCodeAt(at) !== QUOTE) return refuse("CS_JSON_SYNTAX", at);
      const nameEnd = endOfString(text, at);
      if (nameEnd < 0) return refuseString(text, ~nameEnd);
      const fault = addName(names, top, text, at);
      if (fault !== undefined) return refuse(fault, at);
      at = skipSpace(text, nameEnd);
      if (text.charCodeAt(at) !== COLON) return refuse("CS_JSON_SYNTAX", at);
      at = skipSpace(text, at + 1);
    } else if (!isFirst) {
      top.at += 1;
    }
  }
}

function refuse(code: ScanErrorCode, offset: number): Scan {
  return { ok: false, code, offset };
}

function endOfScalar(text: string, from: number): number {
  switch (text.charCodeAt(from)) {
    case QUOTE:
      return endOfString(text, from);
    case 0x74:
      return endOfWord(text, from, "true");
    case 0x66:
      return endOfWord(text, from, "false");
    case 0x6e:
      return endOfWord(text, from, "null");
    default:
      return endOfNumber(text, from);
  }
}

function refuseString(text: string, offset: number): Scan {
  const isLone = isSurrogateEscape(text, offset);
  return refuse(isLone ? "CS_JSON_LONE_SURROGATE" : "CS_JSON_SYNTAX", offset);
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** JSON Pointer (RFC 6901) of the value that the innermost container stands at. */
function pointerOf(text: string, frames: readonly Frame[]): string {
  let pointer = "";
  for (const { isObject, at } of frames) {
    const token = isObject
      ? nameAt(text, at).replaceAll("~", "~0").replaceAll("/", "~1")
      : String(at);
    pointer += `/${token}`;
  }
  return pointer;
}
