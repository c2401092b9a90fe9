import { addName, type MemberNames } from "./json-names.ts";
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

/** An open array's index, or an open object's names; the last name is the current member's. */
type Frame = { readonly names: MemberNames } | { readonly names: undefined; index: number };

/**
 * Walks a text once, left to right, and holds nothing but the open containers: by the time that
 * anything is built, the text is known to be JSON (RFC 8259) without duplicates, forbidden names and
 * lone surrogate escapes, and no deeper than asked. No recursion, so no depth overflows the stack.
 */
export function scanJson(text: string, { depth, numbers }: ScanOptions): Scan {
  const frames: Frame[] = [];
  const found = new Map<string, string>();
  let top: Frame | undefined;
  let pointerBudget = POINTERS_AT_LEAST + POINTERS_PER_UNIT * text.length;

  let at = skipSpace(text, 0);
  if (at === text.length) return refuse("CS_JSON_EMPTY", 0);

  for (;;) {
    // A value starts at `at`.
    let opened = false;
    const unit = text.charCodeAt(at);
    let end: number;
    switch (unit) {
      case 0x22:
        end = endOfString(text, at);
        if (end < 0) return refuseString(text, ~end);
        break;
      case 0x7b:
      case 0x5b:
        if (frames.length === depth) return refuse("CS_JSON_DEPTH", at);
        top =
          unit === 0x7b ? { names: { met: [], many: undefined } } : { names: undefined, index: 0 };
        frames.push(top);
        opened = true;
        end = at + 1;
        break;
      case 0x74:
        end = endOfWord(text, at, "true");
        break;
      case 0x66:
        end = endOfWord(text, at, "false");
        break;
      case 0x6e:
        end = endOfWord(text, at, "null");
        break;
      default: {
        end = endOfNumber(text, at);
        if (end < 0) break;
        const source = text.slice(at, end);
        if (numbers === "inexact" && !isInexact(source)) break;
        const pointer = pointerOf(frames);
        pointerBudget -= pointer.length;
        if (pointerBudget < 0) return refuse("CS_JSON_POINTERS", at);
        found.set(pointer, source);
      }
    }
    if (end < 0) return refuse("CS_JSON_SYNTAX", ~end);

    // What follows a value: the end of its containers, then the next member or element.
    at = skipSpace(text, end);
    while (top !== undefined && text.charCodeAt(at) === (top.names === undefined ? 0x5d : 0x7d)) {
      frames.pop();
      top = frames.at(-1);
      opened = false;
      at = skipSpace(text, at + 1);
    }
    if (top === undefined) {
      return at === text.length ? { ok: true, numbers: found } : refuse("CS_JSON_SYNTAX", at);
    }
    if (!opened) {
      if (text.charCodeAt(at) !== 0x2c) return refuse("CS_JSON_SYNTAX", at);
      at = skipSpace(text, at + 1);
    }
    if (top.names === undefined) {
      if (!opened) top.index += 1;
      continue;
    }
    if (text.charCodeAt(at) !== 0x22) return refuse("CS_JSON_SYNTAX", at);
    const nameEnd = endOfString(text, at);
    if (nameEnd < 0) return refuseString(text, ~nameEnd);
    const fault = addName(top.names, nameOf(text, at, nameEnd));
    if (fault !== undefined) return refuse(fault, at);
    at = skipSpace(text, nameEnd);
    if (text.charCodeAt(at) !== 0x3a) return refuse("CS_JSON_SYNTAX", at);
    at = skipSpace(text, at + 1);
  }
}

// A long name above many numbers would otherwise be copied into the pointer of each: 64 KiB of text
// could ask for half a gigabyte.
const POINTERS_AT_LEAST = 65_536;
const POINTERS_PER_UNIT = 16;

function refuse(code: ScanErrorCode, offset: number): Scan {
  return { ok: false, code, offset };
}

function refuseString(text: string, offset: number): Scan {
  return refuse(
    isSurrogateEscape(text, offset) ? "CS_JSON_LONE_SURROGATE" : "CS_JSON_SYNTAX",
    offset,
  );
}

function nameOf(text: string, quote: number, end: number): string {
  const raw = text.slice(quote + 1, end - 1);
  // The cast is safe: a string token parses to a string.
  return raw.includes("\\") ? (JSON.parse(text.slice(quote, end)) as string) : raw;
}

/** JSON Pointer (RFC 6901) of the value that the innermost frame stands at. */
function pointerOf(frames: readonly Frame[]): string {
  let pointer = "";
  for (const frame of frames) {
    const token =
      frame.names === undefined
        ? String(frame.index)
        : (frame.names.met.at(-1) ?? "").replaceAll("~", "~0").replaceAll("/", "~1");
    pointer += `/${token}`;
  }
  return pointer;
}
