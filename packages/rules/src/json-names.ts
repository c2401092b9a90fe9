import { decodeUtf8, encodeUtf8, endOfString } from "./json-tokens.ts";

// Up to this many names of one object are compared byte by byte: quicker than a set.
// Beyond it a set keeps the work linear, whatever a body names.
const COMPARED_ONE_BY_ONE = 16;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** An open container. */
export interface Frame {
  readonly isObject: boolean;
  /** Number of names on the stack when it was opened. */
  readonly base: number;
  /** The current element's index in an array; the position of the current name's quote in an object. */
  at: number;
  /** The names of an object that has many. */
  many: Set<string> | undefined;
}

/** The names of all open objects, the innermost object's last; those from `count` on are closed. */
export interface NameStack {
  readonly quotes: number[];
  count: number;
}

/** A name in quotes, as it is written in a body. */
interface WrittenName {
  readonly bytes: Uint8Array;
  readonly quote: number;
}

// Names that turn a later merge or look-up into an attack on Object.prototype.
const FORBIDDEN = ["__proto__", "constructor", "prototype"].map((name): WrittenName => ({
  bytes: encodeUtf8(`"${name}"`),
  quote: 0,
}));

const SHORTEST_FORBIDDEN = '"__proto__"'.length;

/** True if the name from its opening quote up to `end` may not be a member's. */
export function isForbidden(
  bytes: Uint8Array,
  { quote, end }: { readonly quote: number; readonly end: number },
): boolean {
  // Most names are shorter, and escapes only make a name longer.
  if (end - quote < SHORTEST_FORBIDDEN) return false;
  return FORBIDDEN.some((forbidden) => isSameName({ bytes, quote }, forbidden));
}

/**
 * Adds the name whose opening quote is at `quote` to the innermost object.
 *
 * @returns False if the object has a member of this name already.
 */
export function addName(names: NameStack, frame: Frame, bytes: Uint8Array, quote: number): boolean {
  frame.at = quote;
  if (frame.many !== undefined) {
    const size = frame.many.size;
    return frame.many.add(nameAt(bytes, quote)).size > size;
  }
  const { quotes, count } = names;
  for (let index = frame.base; index < count; index += 1) {
    const other = { bytes, quote: quotes[index] ?? quote };
    if (isSameName({ bytes, quote }, other)) return false;
  }
  // Assigned past the end rather than cut and pushed: shortening an array costs more than the scan.
  quotes[count] = quote;
  names.count = count + 1;
  if (names.count - frame.base === COMPARED_ONE_BY_ONE)
    frame.many = new Set(quotes.slice(frame.base, names.count).map((at) => nameAt(bytes, at)));
  return true;
}

/** Returns the unescaped name whose opening quote is at `quote`. */
export function nameAt(bytes: Uint8Array, quote: number): string {
  // The cast is safe: a string token parses to a string.
  return JSON.parse(decodeUtf8(bytes.subarray(quote, endOfString(bytes, quote)))) as string;
}

function isSameName(one: WrittenName, other: WrittenName): boolean {
  for (let index = 1; ; index += 1) {
    const byte = one.bytes[one.quote + index];
    const otherByte = other.bytes[other.quote + index];
    if (byte === BACKSLASH || otherByte === BACKSLASH)
      return nameAt(one.bytes, one.quote) === nameAt(other.bytes, other.quote);
    if (byte !== otherByte) return false;
    if (byte === QUOTE) return true;
  }
}
