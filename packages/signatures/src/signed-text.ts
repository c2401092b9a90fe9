import { crc32 } from "node:zlib";
import type { Chunks } from "./algorithms.ts";
import { parsePlace, type ParsedPlace, type Places } from "./places.ts";
import type { Part, Provider } from "./provider.ts";

// No full stop: `id.timestamp.body` could then be split elsewhere, and part of a signed body become the id of an
// attempt that nobody sent (Standard Webhooks, "Signature scheme").
const ID = /^[A-Za-z0-9_-]{1,256}$/;

/** True if `text` is 1 to 256 characters of `[A-Za-z0-9_-]`. */
export const isId = (text: string): boolean => ID.test(text);

/** The values of one attempt from which its signed text is made. */
export interface PartValues {
  readonly id: string | undefined;
  /** The timestamp as it was sent. */
  readonly sent: string | undefined;
  readonly body: Uint8Array;
  readonly method: string | undefined;
  readonly places: Places;
}

/** Stands for the secret in a text that contains it. */
const SECRET: unique symbol = Symbol("secret");

/** A piece of the signed text. */
export type Piece = string | Uint8Array | typeof SECRET;

/** Reads the signed text of an attempt. A value that is missing is the `problem` of its places. */
export type ReadText = (values: PartValues) => readonly Piece[];

/** Creates the reader of a document's signed text. */
export function textReader({ signature: { signed = [], join }, timestamp }: Provider): ReadText {
  const write = partsWriter(signed, join, timestamp && parsePlace(timestamp.at));
  return (values) => {
    const pieces: Piece[] = [];
    write(values, pieces);
    return pieces;
  };
}

/** Puts a secret into a text that contains one. */
export function withSecret(pieces: readonly Piece[], secret: Uint8Array | undefined): Chunks {
  // Without the part "secret" no piece is the symbol.
  return secret === undefined
    ? (pieces as Chunks)
    : pieces.map((piece) => (piece === SECRET ? secret : piece));
}

/** Adds its piece of an attempt's text. */
type Write = (values: PartValues, pieces: Piece[]) => void;

function partsWriter(
  parts: readonly Part[],
  join: string | undefined,
  time: ParsedPlace | undefined,
): Write {
  const between = join === undefined ? [] : [textWriter(() => join)];
  const writers = parts.flatMap((part, index) => [
    ...(index === 0 ? [] : between),
    partWriter(part, join, time),
  ]);
  return (values, pieces) => {
    for (const write of writers) write(values, pieces);
  };
}

/** Texts are joined before they are hashed: each call of the hash costs as much as joining many. */
function textWriter(read: (values: PartValues) => string | undefined): Write {
  return (values, pieces) => {
    const text = read(values) ?? "";
    const last = pieces.at(-1);
    if (typeof last === "string") pieces[pieces.length - 1] = last + text;
    else if (text !== "") pieces.push(text);
  };
}

function partWriter(part: Part, join: string | undefined, time: ParsedPlace | undefined): Write {
  switch (part) {
    case "id":
      return textWriter(({ id }) => id);
    case "timestamp":
      return textWriter(({ sent, places }) => sent ?? (time && places.signedText(time)));
    case "body":
      return ({ body }, pieces) => void pieces.push(body);
    case "url":
      return textWriter(({ places }) => places.signedText(URL_PLACE));
    case "method":
      return textWriter(({ method, places }) => places.signedMethod(method));
    case "secret":
      return (_, pieces) => void pieces.push(SECRET);
    default:
  }
  if ("text" in part) return textWriter(() => part.text);
  if ("crc32" in part) return textWriter(({ body }) => String(crc32(body)));
  if ("at" in part) {
    const place = parsePlace(part.at);
    return part.case === "lower"
      ? textWriter(({ places }) => places.signedText(place)?.toLowerCase())
      : textWriter(({ places }) => places.signedText(place));
  }
  if ("ifPresent" in part) {
    const place = parsePlace(part.ifPresent);
    const write = partsWriter(part.parts, join, time);
    return (values, pieces) => {
      // An object is present too: it is refused, since its members would be unsigned.
      if ((values.places.any(place) ?? undefined) !== undefined) write(values, pieces);
    };
  }
  const { pair, join: between, without = [] } = part;
  return textWriter(({ places }) =>
    places
      .sortedForm()
      .filter(([name]) => !without.includes(name))
      .map(([name, value]) => name + pair + value)
      .join(between),
  );
}

const URL_PLACE = parsePlace("url");
