import { endOfString } from "./json-tokens.ts";

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
  /** How many names stood on the stack when it was opened. */
  readonly base: number;
  /** In an array the current element's index, in an object where the current name's quote stands. */
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
 * Adds the name whose opening quote stands at `quote` to the innermost object, or says why it cannot
 * stand there. The string is known to be well formed.
 */
export function addName(
  names: NameStack,
  frame: Frame,
  text: string,
  quote: number,
): "CS_JSON_DUPLICATE_MEMBER" | "CS_JSON_FORBIDDEN_MEMBER" | undefined {
  const { quotes, hashes, count } = names;
  const hash = hashAt(text, quote);
  if (
    (hash === PROTO || hash === CONSTRUCTOR || hash === PROTOTYPE) &&
    FORBIDDEN.has(nameAt(text, quote))
  )
    return "CS_JSON_FORBIDDEN_MEMBER";
  frame.at = quote;

  if (frame.many !== undefined) {
    const size = frame.many.size;
    return frame.many.add(nameAt(text, quote)).size === size
      ? "CS_JSON_DUPLICATE_MEMBER"
      : undefined;
  }
  for (let index = frame.base; index < count; index += 1) {
    if (hashes[index] === hash && isSameName(text, { quote, other: quotes[index] ?? quote }))
      return "CS_JSON_DUPLICATE_MEMBER";
  }
  // Assigned past the end rather than cut and pushed: shortening an array costs more than the scan.
  quotes[count] = quote;
  hashes[count] = hash;
  names.count = count + 1;
  if (names.count - frame.base === COMPARED_ONE_BY_ONE)
    frame.many = new Set(quotes.slice(frame.base, names.count).map((at) => nameAt(text, at)));
  return undefined;
}

/** The name whose opening quote stands at `quote`, unescaped. */
export function nameAt(text: string, quote: number): string {
  const token = text.slice(quote, endOfString(text, quote));
  // The cast is safe: a string token parses to a string.
  return token.includes("\\") ? (JSON.parse(token) as string) : token.slice(1, -1);
}

// A sender can choose names of one hash; they are told apart below, and are few before the set.
function hashAt(text: string, quote: number): number {
  let hash = 0;
  for (let at = quote + 1; ; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return hash;
    if (unit === BACKSLASH) return hashOf(nameAt(text, quote));
    hash = nextHash(hash, unit);
  }
}

function hashOf(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length; at += 1) hash = nextHash(hash, name.charCodeAt(at));
  return hash;
}

function nextHash(hash: number, unit: number): number {
  return (Math.imul(hash, 31) + unit) | 0;
}

const PROTO = hashOf("__proto__");
const CONSTRUCTOR = hashOf("constructor");
const PROTOTYPE = hashOf("prototype");

function isSameName(
  text: string,
  { quote, other }: { readonly quote: number; readonly other: number },
): boolean {
  for (let index = 1; ; index += 1) {
    const unit = text.charCodeAt(quote + index);
    const otherUnit = text.charCodeAt(other + index);
    if (unit === BACKSLASH || otherUnit === BACKSLASH)
      return nameAt(text, quote) === nameAt(text, other);
    if (unit !== otherUnit) return false;
    if (unit === QUOTE) return true;
  }
}
