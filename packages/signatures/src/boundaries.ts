import type { Part, Provider } from "./provider.ts";

/** The conditions on which a signed text splits in one way only. */
export interface Boundaries {
  /** A timestamp in seconds has exactly ten digits. */
  readonly needsTenDigits: boolean;
  /** The body begins with `{` or `[`. */
  readonly needsJson: boolean;
}

/** A part as the search for its boundaries sees it. */
type Piece =
  | { readonly text: string }
  /** Has one length, or is known. */
  | { readonly isFixed: true; readonly isIso?: boolean }
  /** Ends at the first character of another kind. */
  | { readonly characters: RegExp; readonly is?: "url" | "id" | "seconds" }
  | { readonly isOpen: true; readonly isBody?: boolean };

const DIGITS = /[0-9]/;

/**
 * Counts the parts that end nowhere in particular. With at most one, a signed text splits in one way: what precedes it is
 * found from the beginning, what follows it from the end.
 */
export function boundariesOf({
  signature,
  pin = [],
  timestamp,
}: Provider): Boundaries & { open: number } {
  const { signed = [], join } = signature;
  const pins = new Map(
    pin.map(({ at, matches }) => [
      at,
      /^\^?(\[[^\]\\]+\])(?:\{\d+(?:,\d+)?\}|[+*])\$?$/.exec(matches)?.[1],
    ]),
  );

  const pieceOf = (part: Part): Piece[] => {
    if (part === "id") return [{ characters: /[A-Za-z0-9_-]/, is: "id" }];
    if (part === "timestamp") return [timestampPiece(timestamp?.unit ?? "s")];
    if (part === "method") return [{ characters: /[A-Z]/ }];
    if (part === "url") return [{ characters: /[A-Za-z0-9._~!$&'()*+,;=:@%/?-]/, is: "url" }];
    if (part === "secret") return [{ isFixed: true }];
    if (part === "body") return [{ isOpen: true, isBody: true }];
    if ("text" in part) return [part];
    if ("crc32" in part) return [{ characters: DIGITS }];
    if ("form" in part) return [{ isOpen: true }, { isOpen: true }];
    if ("ifPresent" in part) {
      const [only, ...more] = part.parts;
      const isOptional = typeof only === "object" && "at" in only && only.at === part.ifPresent;
      // A value that is absent ends where an empty one does.
      return isOptional && more.length === 0
        ? pieceOf(only)
        : [{ isOpen: true }, ...part.parts.flatMap(pieceOf)];
    }
    const characters = pins.get(part.at);
    return [
      characters === undefined ? { isOpen: true } : { characters: new RegExp(characters, "u") },
    ];
  };
  const pieces = signed.flatMap((part, index) => [
    ...(index > 0 && join !== undefined ? [{ text: join }] : []),
    ...pieceOf(part),
  ]);

  const middle = pieces.findIndex((piece) => "isOpen" in piece);
  let [needsTenDigits, needsJson, open] = [false, false, 0];
  for (const [at, piece] of pieces.entries()) {
    if ("isOpen" in piece) open += 1;
    if (!("characters" in piece)) continue;
    const isAfter = middle >= 0 && at > middle;
    if (isBounded(piece.characters, pieces[isAfter ? at - 1 : at + 1], isAfter)) continue;
    const next = isAfter ? undefined : pieces[at + 1];
    const isNext = (member: "isBody" | "isIso"): boolean => next !== undefined && member in next;
    if (piece.is === "seconds" && timestamp?.unit.includes("ms") !== true) needsTenDigits = true;
    else if (piece.is === "url" && isNext("isBody")) needsJson = true;
    else if (piece.is !== "id" || !isNext("isIso")) open += 1;
  }
  return { open, needsTenDigits, needsJson };
}

function timestampPiece(unit: string): Piece {
  if (unit === "iso") return { isFixed: true, isIso: true };
  // Thirteen digits, or RFC 3339: no such text is the beginning or the end of another.
  if (unit === "ms" || unit === "ms|iso") return { isFixed: true };
  return { characters: DIGITS, is: "seconds" };
}

/** True if a neighbour ends a run of characters. */
function isBounded(characters: RegExp, neighbour: Piece | undefined, isAfter: boolean): boolean {
  if (neighbour === undefined) return true;
  const text =
    "text" in neighbour
      ? neighbour.text
      : "is" in neighbour && neighbour.is === "url"
        ? "http"
        : "";
  const character = isAfter ? text.at(-1) : text[0];
  return character !== undefined && !characters.test(character);
}
