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
 * The reason for which a body is refused.
 * - `CS_JSON_ENCODING`: not well-formed UTF-8, or a text with a lone surrogate.
 * - `CS_JSON_BOM`: starts with a byte order mark (RFC 8259 section 8.1).
 * - `CS_JSON_EMPTY`: only whitespace.
 * - `CS_JSON_SYNTAX`: not JSON (RFC 8259).
 * - `CS_JSON_LONE_SURROGATE`: a string has an escape such as `\ud800` without its other half.
 * - `CS_JSON_DUPLICATE_MEMBER`: an object has two members of one name, also through escapes.
 * - `CS_JSON_FORBIDDEN_MEMBER`: a member is named `__proto__`, `constructor` or `prototype`.
 * - `CS_JSON_DEPTH`: deeper than `depth`.
 * - `CS_JSON_POINTERS`: the pointers of the kept numbers are longer than 65,536 units plus 16 for each unit of the
 *   body: a long name above many numbers.
 */
export type JsonErrorCode =
  | "CS_JSON_ENCODING"
  | "CS_JSON_BOM"
  | "CS_JSON_EMPTY"
  | "CS_JSON_SYNTAX"
  | "CS_JSON_LONE_SURROGATE"
  | "CS_JSON_DUPLICATE_MEMBER"
  | "CS_JSON_FORBIDDEN_MEMBER"
  | "CS_JSON_DEPTH"
  | "CS_JSON_POINTERS";

interface Refused {
  readonly ok: false;
  readonly code: JsonErrorCode;
  /** The fault's place, in UTF-16 units of the decoded text, if it is known. */
  readonly offset?: number;
}

/** JSON Pointer (RFC 6901) of a number → its source text. */
type Numbers = ReadonlyMap<string, string>;

export type JsonReading =
  | { readonly ok: true; readonly value: unknown; readonly numbers: Numbers }
  | Refused;

const MAX_DEPTH = 1024;

/**
 * Parses a body as JSON (RFC 8259), strictly, and keeps the source text of its numbers. An accepted body has the value
 * that `JSON.parse` gives it. Never throws for what a stranger sends.
 *
 * @throws {TypeError} `body` is neither bytes nor text, or `depth` is not an integer from 1 to 1024.
 */
export function readJson(
  body: Uint8Array | string,
  { depth = 16, numbers = "inexact" }: JsonOptions = {},
): JsonReading {
  if (!Number.isSafeInteger(depth) || depth < 1 || depth > MAX_DEPTH)
    throw new TypeError(`"depth" must be a whole number from 1 to ${MAX_DEPTH}`);
  if (typeof body !== "string" && !(body instanceof Uint8Array))
    throw new TypeError('"body" must be a Uint8Array or a string');
  const text = typeof body === "string" ? body : decoded(body);
  if (!text?.isWellFormed()) return refused("CS_JSON_ENCODING");
  if (text.startsWith("\u{feff}")) return refused("CS_JSON_BOM", 0);
  const parsed = parse(text);
  if ("code" in parsed) return parsed;
  const walked = walk(text, depth, numbers === "all");
  return "code" in walked ? walked : { ok: true, value: parsed.value, numbers: walked };
}

const refused = (code: JsonErrorCode, offset?: number): Refused => ({
  ok: false,
  code,
  ...(offset !== undefined && { offset }),
});

// A decoder that does not stream keeps nothing between calls.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function parse(text: string): { readonly value: unknown } | Refused {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (/^[ \t\n\r]*$/.test(text)) return refused("CS_JSON_EMPTY", 0);
    // The rest of the engine's message quotes the body.
    const position = /at position (\d+)/.exec(String(error))?.[1];
    return refused("CS_JSON_SYNTAX", position === undefined ? undefined : Number(position));
  }
}

/** An open container. */
interface Frame {
  /** Of an object: the names of its members so far. */
  readonly names: string[] | undefined;
  /** The same, once they are many. */
  many: Set<string> | undefined;
  /** The current member's name, or the current element's index. */
  at: string | number;
}

// Names that turn a later merge or look-up into an attack on Object.prototype.
const FORBIDDEN: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

// A long name above many numbers would otherwise be copied into the pointer of each: a body of
// 64 KiB could ask for half a gigabyte.
const POINTERS_AT_LEAST = 65_536;
const POINTERS_PER_UNIT = 16;
const NO_NUMBERS: Numbers = new Map();

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Judges what `JSON.parse` does not, in a text that it has accepted, and finds the texts of numbers. */
function walk(text: string, depth: number, keepsAll: boolean): Numbers | Refused {
  const open: Frame[] = [];
  let top: Frame | undefined;
  let expectsName = false;
  let escape = nextEscape(text, 0);
  let numbers: Map<string, string> | undefined;
  let pointersLeft = POINTERS_AT_LEAST + POINTERS_PER_UNIT * text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      const from = at;
      at = text.indexOf('"', at + 1);
      const isEscaped = escape < at;
      if (isEscaped) {
        at = endOfString(text, from);
        escape = nextEscape(text, at);
      }
      if (!expectsName && !isEscaped) continue;
      const string = isEscaped ? unescaped(text.slice(from, at + 1)) : text.slice(from + 1, at);
      if (isEscaped && !string.isWellFormed()) return refused("CS_JSON_LONE_SURROGATE", from);
      if (!expectsName || top?.names === undefined) continue;
      // Short names, which are most, need no hash.
      if (string.length > 8 && FORBIDDEN.has(string))
        return refused("CS_JSON_FORBIDDEN_MEMBER", from);
      if (!addName(top, string)) return refused("CS_JSON_DUPLICATE_MEMBER", from);
      top.at = string;
    } else if (unit === COMMA) {
      expectsName = top?.names !== undefined;
      if (top !== undefined && typeof top.at === "number") top.at += 1;
    } else if (unit === COLON) {
      expectsName = false;
    } else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      if (open.length === depth) return refused("CS_JSON_DEPTH", at);
      expectsName = unit === OPEN_OBJECT;
      top = { names: expectsName ? [] : undefined, many: undefined, at: 0 };
      open.push(top);
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) {
      open.pop();
      top = open.at(-1);
      expectsName = false;
    } else if (unit === MINUS || (unit >= ZERO && unit <= NINE)) {
      const from = at;
      let isShort = true;
      for (;;) {
        const next = text.charCodeAt(at + 1);
        // The letter of an exponent is the only one that follows a digit.
        if (next > NINE && (next | 0x20) === 0x65) isShort = false;
        else if (!(next >= MINUS && next <= NINE) && next !== 0x2b) break;
        at += 1;
      }
      if (!keepsAll && isShort && at - from < SAFE_DIGITS) continue;
      const source = text.slice(from, at + 1);
      if (!keepsAll && !isInexact(source)) continue;
      const pointer = open.map((frame) => `/${escapedToken(frame.at)}`).join("");
      pointersLeft -= pointer.length;
      if (pointersLeft < 0) return refused("CS_JSON_POINTERS", from);
      numbers = (numbers ?? new Map<string, string>()).set(pointer, source);
    }
  }
  return numbers ?? NO_NUMBERS;
}

/** Returns the place of the next backslash, which only strings have, or the text's length. */
function nextEscape(text: string, from: number): number {
  const at = text.indexOf("\\", from);
  return at === -1 ? text.length : at;
}

/** Returns the place of the quote that ends a string. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

// Up to this many names are compared one by one, which is quicker than a set; beyond it a set keeps the work linear.
const COMPARED_ONE_BY_ONE = 16;

/** Adds a member's name to an object; false if the object has it already. */
function addName(frame: Frame, name: string): boolean {
  const { names = [], many } = frame;
  if (many !== undefined) return many.size < many.add(name).size;
  if (names.includes(name)) return false;
  if (names.push(name) === COMPARED_ONE_BY_ONE) frame.many = new Set(names);
  return true;
}

// The cast is safe: a string token parses to a string.
const unescaped = (token: string): string => JSON.parse(token) as string;

const escapedToken = (token: string | number): string =>
  String(token).replaceAll("~", "~0").replaceAll("/", "~1");

const SAFE_DIGITS = 15;
const SMALLEST_NORMAL = 2.2250738585072014e-308;

/**
 * True if a number's source text may be more precise than the double that `JSON.parse` makes of it: more than 15
 * significant digits, a value that overflows to infinity, or one below the normal doubles.
 */
function isInexact(source: string): boolean {
  const digits = source
    .replace(/[eE].*/, "")
    .replaceAll(/\D/g, "")
    .replace(/^0+/, "");
  if (digits === "") return false;
  const size = Math.abs(Number(source));
  return (
    digits.replace(/0+$/, "").length > SAFE_DIGITS || size === Infinity || size < SMALLEST_NORMAL
  );
}
