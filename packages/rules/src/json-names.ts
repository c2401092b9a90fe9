import { decodeUtf8, encodeUtf8, endOfString } from "./json-tokens.ts";

// Names that turn a later merge or look-up into an attack on Object.prototype.
const FORBIDDEN: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

// Up to this many names of one object are compared by their hashes, one by one: quicker than a set.
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
  readonly hashes: number[];
  count: number;
}

/**
 * Adds the name whose opening quote is at `quote` to the innermost object.
 *
 * @returns The name's end (exclusive); `~quote` for a name that is not allowed; `~N` for a fault in the string at N.
 */
export function takeName(names: NameStack, frame: Frame, bytes: Uint8Array, quote: number): number {
  // Ends and hashes the name in one pass; escapes are rare and take a second one.
  let hash = 0;
  let at = quote + 1;
  for (;;) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20) return ~at;
    if (byte === QUOTE) break;
    if (byte === BACKSLASH) {
      const end = endOfString(bytes, quote);
      if (end < 0) return end;
      at = end - 1;
      hash = hashOf(nameAt(bytes, quote));
      break;
    }
    hash = nextHash(hash, byte);
    at += 1;
  }
  return addName(names, frame, bytes, { quote, hash }) ? at + 1 : ~quote;
}

/** Returns the reason for which `takeName` refused the name at `quote`. */
export function whyRefused(
  bytes: Uint8Array,
  quote: number,
): "CS_JSON_FORBIDDEN_MEMBER" | "CS_JSON_DUPLICATE_MEMBER" {
  return FORBIDDEN.has(nameAt(bytes, quote))
    ? "CS_JSON_FORBIDDEN_MEMBER"
    : "CS_JSON_DUPLICATE_MEMBER";
}

/** Returns the unescaped name whose opening quote is at `quote`. */
export function nameAt(bytes: Uint8Array, quote: number): string {
  // The cast is safe: a string token parses to a string.
  return JSON.parse(decodeUtf8(bytes.subarray(quote, endOfString(bytes, quote)))) as string;
}

function addName(
  names: NameStack,
  frame: Frame,
  bytes: Uint8Array,
  { quote, hash }: { readonly quote: number; readonly hash: number },
): boolean {
  if (
    (hash === PROTO || hash === CONSTRUCTOR || hash === PROTOTYPE) &&
    FORBIDDEN.has(nameAt(bytes, quote))
  )
    return false;
  frame.at = quote;

  if (frame.many !== undefined) {
    const size = frame.many.size;
    return frame.many.add(nameAt(bytes, quote)).size > size;
  }
  const { quotes, hashes, count } = names;
  for (let index = frame.base; index < count; index += 1) {
    // A sender can choose names of one hash, so equal hashes prove nothing.
    if (hashes[index] === hash && isSameName(bytes, { quote, other: quotes[index] ?? quote }))
      return false;
  }
  // Assigned past the end rather than cut and pushed: shortening an array costs more than the scan.
  quotes[count] = quote;
  hashes[count] = hash;
  names.count = count + 1;
  if (names.count - frame.base === COMPARED_ONE_BY_ONE)
    frame.many = new Set(quotes.slice(frame.base, names.count).map((at) => nameAt(bytes, at)));
  return true;
}

function isSameName(
  bytes: Uint8Array,
  { quote, other }: { readonly quote: number; readonly other: number },
): boolean {
  for (let index = 1; ; index += 1) {
    const byte = bytes[quote + index];
    const otherByte = bytes[other + index];
    if (byte === BACKSLASH || otherByte === BACKSLASH)
      return nameAt(bytes, quote) === nameAt(bytes, other);
    if (byte !== otherByte) return false;
    if (byte === QUOTE) return true;
  }
}

const PROTO = hashOf("__proto__");
const CONSTRUCTOR = hashOf("constructor");
const PROTOTYPE = hashOf("prototype");

function hashOf(name: string): number {
  return encodeUtf8(name).reduce(nextHash, 0);
}

function nextHash(hash: number, byte: number): number {
  return (Math.imul(hash, 31) + byte) | 0;
}
