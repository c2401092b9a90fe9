import { ALGORITHMS } from "./algorithms.ts";
import { parsePlace } from "./places.ts";
import type { Part, Place, Provider } from "./provider.ts";

/** Returns the places in a signed text. */
export function placesIn(parts: readonly Part[]): readonly Place[] {
  return parts.flatMap((part) => {
    if (typeof part === "string") return [];
    if ("at" in part) return [part.at];
    return "ifPresent" in part ? [part.ifPresent, ...placesIn(part.parts)] : [];
  });
}

/** Returns the places of a signed text that are written in lower case first. */
const loweredIn = (parts: readonly Part[]): readonly Place[] =>
  parts.flatMap((part) => {
    if (typeof part === "object" && "ifPresent" in part) return loweredIn(part.parts);
    return typeof part === "object" && "case" in part ? [part.at] : [];
  });

/** Computes what the signature covers, as names and places. */
export function signedBy({ signature, id, timestamp }: Provider): ReadonlySet<string> {
  const { signed = [], digests = [], claims = {}, algorithm } = signature;
  const isToken = ALGORITHMS[algorithm].token !== undefined;
  const covered = new Set<string>(placesIn(signed));
  for (const part of signed)
    if (typeof part === "string" && part !== "secret") covered.add(part);
    else if (typeof part === "object" && "form" in part) covered.add("form");
  if (id !== undefined) covered.add(id.at);
  if (signed.includes("timestamp") && timestamp !== undefined) covered.add(timestamp.at);
  if (Object.values(claims).some((claim) => typeof claim === "object")) covered.add("url");
  for (const { at, of } of digests) if (isToken || isIn(at, covered)) covered.add(of);
  if (timestamp !== undefined && (isToken || isIn(timestamp.at, covered))) covered.add("timestamp");
  return covered;
}

/**
 * Returns a function that is true for the places that the signature covers. One that is signed in lower case is not among
 * them: sent again with capitals it would be another id.
 */
export function coverageOf(
  { signature: { algorithm, carrier, signed: parts = [] } }: Provider,
  signed: ReadonlySet<string>,
): (place: Place) => boolean {
  const { token, kind } = ALGORITHMS[algorithm];
  const isToken = token !== undefined;
  // A single HMAC has one spelling: nobody can send what it signs with another.
  const [only, ...more] = carrier;
  const isSingle = kind === "hmac" && more.length === 0 && only?.separator === undefined;
  const left = parts.flatMap((part) =>
    typeof part === "object" && "form" in part ? (part.without ?? []) : [],
  );
  const lowered = loweredIn(parts);
  return (place) =>
    (isToken && /^(?:jwt|jose):/.test(place)) ||
    (isSingle && place === only?.at) ||
    (isIn(place, signed) &&
      !lowered.includes(place) &&
      !left.some((name) => place === `form:${name}`));
}

/** True if a place is signed itself, or is a part of something signed. */
function isIn(text: Place, signed: ReadonlySet<string>): boolean {
  if (signed.has(text)) return true;
  const { kind } = parsePlace(text);
  if (kind === "body" || kind === "item") return signed.has("body");
  if (kind === "form") return signed.has("body") || signed.has("form");
  return kind === "query" && signed.has("url");
}
