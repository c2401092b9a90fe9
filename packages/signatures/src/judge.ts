import { createHash, timingSafeEqual } from "node:crypto";
import { decode } from "./algorithms.ts";
import { wholePattern } from "./check-provider.ts";
import { conditionOf, parsePlace, type Places } from "./places.ts";
import type { Provider } from "./provider.ts";
import { type Refused, refused, refuseProblem, type VerifyOptions } from "./scheme.ts";

/** Seconds by which clocks may differ for a token's `exp` and `nbf`. */
const LEEWAY_SECONDS = 5;

/** Judges the age of a genuine attempt. */
export function judgeAge(
  seconds: number | undefined,
  now: number,
  toleranceSeconds: number,
): Refused | undefined {
  if (seconds === undefined) return refused("CS_SIGNATURE_TIMESTAMP_INVALID");
  const clockDifferenceSeconds = Math.floor(seconds) - Math.floor(now / 1000);
  if (clockDifferenceSeconds < -toleranceSeconds)
    return refused("CS_SIGNATURE_TIMESTAMP_TOO_OLD", { clockDifferenceSeconds });
  if (clockDifferenceSeconds > toleranceSeconds)
    return refused("CS_SIGNATURE_TIMESTAMP_TOO_NEW", { clockDifferenceSeconds });
  return undefined;
}

/** Returns a function that judges what else a document demands of a genuine attempt: digests, forms and conditions. */
export function judgeDemands({
  signature,
  pin = [],
  require: demanded = [],
}: Provider): (places: Places, body: Uint8Array) => Refused | undefined {
  const digests = (signature.digests ?? []).map((one) => ({ ...one, place: parsePlace(one.at) }));
  const pins = pin.map(({ at, matches }) => ({
    place: parsePlace(at),
    pattern: wholePattern(matches),
  }));
  const conditions = demanded.map((one) => ({ at: one.at, isMet: conditionOf(one) }));
  const url = parsePlace("url");
  if (digests.length + pins.length + conditions.length === 0) return () => undefined;
  return (places, body) => {
    for (const { at, place, of, algorithm, encoding } of digests) {
      const claimed = places.signedText(place);
      const digested = of === "body" ? body : places.signedText(url);
      if (claimed === undefined || digested === undefined) break;
      const digest = createHash(algorithm).update(digested).digest();
      const bytes = decodeDigest(claimed, encoding);
      if (bytes?.length !== digest.length || !timingSafeEqual(bytes, digest))
        return refused("CS_SIGNATURE_DIGEST_MISMATCH", { place: at });
    }
    for (const { place, pattern } of pins) {
      const value = places.value(place);
      if (value !== undefined && !pattern.test(String(value)))
        return refused("CS_SIGNATURE_PLACE_INVALID", { place: place.text });
    }
    const unmet = conditions.find(({ isMet }) => !isMet(places));
    if (places.problem !== undefined) return refuseProblem(places.problem);
    return unmet && refused("CS_SIGNATURE_CONDITION_UNMET", { place: unmet.at });
  };
}

/** Decodes a digest. Senders differ about the padding of base64, which carries nothing. */
const decodeDigest = (
  text: string,
  encoding: "hex" | "base64" | "base64url",
): Uint8Array | undefined =>
  encoding === "base64url" ? decode(text.replace(/={1,2}$/, ""), encoding) : decode(text, encoding);

/**
 * Judges the claims of a genuine token.
 *
 * @throws {TypeError} The user has not given a claim that the document leaves open.
 */
export function judgeClaims(
  { title, signature: { claims: demanded = {} }, timestamp }: Provider,
  { fromSignature: { claims } }: Places,
  url: string | undefined,
  { now, claims: given = {} }: VerifyOptions,
): Refused | undefined {
  if (claims === undefined) return undefined;
  const invalid = (name: string): Refused =>
    refused("CS_SIGNATURE_TOKEN_INVALID", { place: `jwt:${name}` });
  const own = (name: string): unknown => (Object.hasOwn(claims, name) ? claims[name] : undefined);
  for (const [name, demand] of Object.entries(demanded)) {
    const value = own(name) ?? undefined;
    if (value === undefined) return invalid(name);
    if (demand === "required") continue;
    if (value !== (typeof demand === "string" ? claimOf(title, demand, given) : url))
      return invalid(name);
  }
  for (const name of ["exp", "nbf", "iat"]) {
    const value = own(name);
    if (value === undefined) continue;
    if (typeof value !== "number" || !Number.isFinite(value)) return invalid(name);
    const clockDifferenceSeconds = Math.floor(value) - Math.floor(now / 1000);
    if (name === "exp") {
      if (clockDifferenceSeconds <= -LEEWAY_SECONDS)
        return refused("CS_SIGNATURE_TIMESTAMP_TOO_OLD", { clockDifferenceSeconds });
    } else if (timestamp?.at !== `jwt:${name}` && clockDifferenceSeconds > LEEWAY_SECONDS) {
      return refused("CS_SIGNATURE_TIMESTAMP_TOO_NEW", { clockDifferenceSeconds });
    }
  }
  return undefined;
}
/**
 * Returns the value that a claim must have: a text, or what the user gives for `option:NAME`.
 *
 * @throws {TypeError} The user has given none.
 */
export function claimOf(
  title: string,
  demand: string,
  given: Readonly<Record<string, string>>,
): string {
  if (!demand.startsWith("option:")) return demand;
  const name = demand.slice("option:".length);
  const value = Object.hasOwn(given, name) ? given[name] : undefined;
  if (typeof value !== "string" || value === "")
    throw new TypeError(`missing "claims.${name}": ${title} demands it`);
  return value;
}
