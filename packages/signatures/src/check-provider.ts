import { ALGORITHMS } from "./algorithms.ts";
import { boundariesOf, type Boundaries } from "./boundaries.ts";
import { coverageOf, placesIn, signedBy } from "./coverage.ts";
import { parsePlace } from "./places.ts";
import type { Carrier, KeyForm, Part, Place, Provider } from "./provider.ts";

/** Largest tolerance: what a day's outage of a queue needs. */
const MAX_TOLERANCE_SECONDS = 86_400;

/** The meaning of a document: what its signature covers, and what its user must know. */
export interface Meaning extends Boundaries {
  /** `id`, `timestamp`, `body`, `form`, `url`, `method`, and places. */
  readonly signed: ReadonlySet<string>;
  readonly warnings: readonly string[];
  readonly covers: (place: Place) => boolean;
}

/**
 * Checks the meaning of a document whose shape is that of its JSON Schema, and computes what it promises.
 *
 * @throws {TypeError} The document could be fooled, contradicts itself, or has an unknown member. The message names the
 *   provider, the member and the danger.
 */
export function checkProvider(provider: Provider): Meaning {
  const demand: Demand = (isMet, problem) => {
    if (!isMet)
      throw new TypeError(`invalid provider ${JSON.stringify(provider?.name)}: ${problem}`);
  };
  demand(/^[a-z0-9-]{1,64}$/.test(provider?.name), '"name" must be 1 to 64 of a-z, 0-9 and "-"');
  demand(typeof provider.title === "string" && provider.title !== "", '"title" is missing');
  checkMembers(provider, demand);
  checkAlgorithm(provider, demand);
  for (const place of placesOf(provider)) checkPlace(place, demand);
  checkCarriers(provider, demand);
  checkParts(provider, demand);
  checkPatterns(provider, demand);

  const { title, signature, timestamp, authentic = [] } = provider;
  const signed = signedBy(provider);
  const covers = coverageOf(provider, signed);
  const isBodyCovered = signed.has("body") || signed.has("form");
  if (timestamp !== undefined) checkTimestamp(timestamp, covers, demand);
  for (const { at } of signature.digests ?? [])
    demand(
      covers(at),
      `the digest at ${at} is not signed: whoever changes the body changes it too`,
    );
  demand(
    isBodyCovered || authentic.length > 0,
    'the signature does not cover the body: whoever has one genuine signature can send any body; name what is signed as "authentic"',
  );
  demand(authentic.every(covers), '"authentic" has a place that the signature does not cover');

  const { open, ...boundaries } = boundariesOf(provider);
  const { ambiguous, weak, claims = {} } = signature;
  demand(
    open <= 1 || ambiguous !== undefined,
    'the signed text splits in two ways: part of one value can become part of another; separate or pin the parts, or say what follows as "ambiguous"',
  );
  demand(
    open > 1 || ambiguous === undefined,
    'the signed text is not "ambiguous": remove the member',
  );
  const isTimed = timestamp !== undefined || "exp" in claims;
  const warnings = [
    weak,
    ambiguous,
    ...(isTimed
      ? []
      : [
          "no time is signed: a captured attempt verifies forever, so that the inbox must keep its event's key",
        ]),
  ].filter((one) => one !== undefined);
  return { ...boundaries, signed, covers, warnings: warnings.map((one) => `${title}: ${one}`) };
}

type Demand = (isMet: boolean, problem: string) => void;

const MEMBERS = {
  document:
    "$schema name title documentation sdk secret signature id timestamp media require pin batch event variants handshakes answer retries delivery authentic catalogue sending traps",
  signature: "algorithm key encoding carrier signed join per digests claims keyFrom weak ambiguous",
  carrier: "at separator pair equals prefix algorithm",
  timestamp: "at unit toleranceSeconds",
  secret: "where prefix minBytes",
};

/** Rejects unknown members: a misspelt one would silently mean a default. */
function checkMembers(provider: Provider, demand: Demand): void {
  const check = (value: object | undefined, known: keyof typeof MEMBERS): void => {
    for (const member of Object.keys(value ?? {}))
      demand(
        MEMBERS[known].split(" ").includes(member),
        `unknown member ${JSON.stringify(member)}`,
      );
  };
  const { signature, timestamp, secret } = provider;
  demand(typeof signature === "object" && signature !== null, '"signature" is missing');
  demand(Array.isArray(signature.carrier) && signature.carrier.length > 0, '"carrier" is empty');
  check(provider, "document");
  check(signature, "signature");
  for (const carrier of signature.carrier) check(carrier, "carrier");
  check(timestamp, "timestamp");
  check(secret, "secret");
  const min = secret?.minBytes ?? 1;
  demand(Number.isInteger(min) && min >= 1 && min <= 64, '"minBytes" must be from 1 to 64');
}

const TEXT_FORMS: readonly KeyForm[] = ["text", "text-nfkd", "text-sha1", "hex", "base64", "whsec"];
const PUBLIC_FORMS: readonly KeyForm[] = ["spki", "x509", "jwk"];

function checkAlgorithm({ signature }: Provider, demand: Demand): void {
  const { algorithm, key = "text", encoding, signed, claims, weak, keyFrom } = signature;
  demand(Object.hasOwn(ALGORITHMS, algorithm), `unknown algorithm ${JSON.stringify(algorithm)}`);
  const { kind, token, isWeak } = ALGORITHMS[algorithm];
  const forms =
    algorithm === "ed25519"
      ? ["hex", "base64", ...PUBLIC_FORMS]
      : kind === "public"
        ? PUBLIC_FORMS
        : TEXT_FORMS;
  demand(forms.includes(key), `"key" of ${algorithm} must be ${forms.join(", ")}`);
  demand(token === undefined || signed === undefined, 'a JWT has "claims" and no "signed"');
  demand(token !== undefined || claims === undefined, '"claims" is for JWT only');
  demand(token !== undefined || (signed?.length ?? 0) > 0, '"signed" is missing');
  demand((token === undefined) === (encoding !== undefined), '"encoding" is for all but JWT');
  demand(
    ["hex", "base64", "base64url", undefined].includes(encoding),
    '"encoding" must be hex, base64 or base64url',
  );
  demand(
    isWeak === undefined || weak !== undefined,
    `${algorithm} is weak: say as "weak" why it is accepted`,
  );
  demand(keyFrom === undefined || kind === "public", '"keyFrom" needs an algorithm of public keys');
}

/** Returns every place of the signature. */
function placesOf({
  signature,
  id,
  timestamp,
  require: demanded = [],
  ...rest
}: Provider): Place[] {
  const { carrier, signed = [], digests = [], keyFrom } = signature;
  const { pin = [], authentic = [], batch } = rest;
  const atPlaces = [...carrier, ...digests, ...demanded, ...pin].map(({ at }) => at);
  const single = [id?.at, timestamp?.at, keyFrom?.at, batch].filter((one) => one !== undefined);
  return [...atPlaces, ...single, ...authentic, ...placesIn(signed)];
}

function checkPlace(text: Place, demand: Demand): void {
  try {
    parsePlace(text);
  } catch {
    demand(false, `${JSON.stringify(text)} is not a place such as "header:X-Name" or "body:/id"`);
  }
}

/** Headers whose values belong to others. */
const FOREIGN_HEADERS = ["cookie", "set-cookie", "host", "content-type", "content-length"];

function checkCarriers({ signature, batch }: Provider, demand: Demand): void {
  const known = new Set<string>();
  for (const carrier of signature.carrier) {
    const { at, separator, pair, equals = "=", prefix } = carrier;
    const { kind, name } = parsePlace(at);
    demand(
      kind !== "header" || !FOREIGN_HEADERS.includes(name),
      `${at} cannot carry a signature: it has a meaning of its own`,
    );
    demand(
      kind === "header" || kind === "form" || kind === "body" || kind === "item",
      `${at} cannot carry a signature`,
    );
    demand(
      [separator, pair, equals, prefix].every((one) => one === undefined || one !== ""),
      `an empty "prefix", "pair", "separator" or "equals" would match everything`,
    );
    demand(
      separator === undefined || !`${pair ?? ""}${prefix ?? ""}`.includes(separator),
      '"prefix" and "pair" must not contain the separator',
    );
    demand(pair === undefined || prefix === undefined, 'a carrier has a "pair" or a "prefix"');
    const own = `${at} ${pair ?? prefix ?? ""}`;
    demand(!known.has(own), `two carriers at ${at} match the same signatures`);
    known.add(own);
    demand(isAlike(carrier, signature.carrier), `carriers at ${at} must have one separator`);
  }
  const isPerItem = signature.carrier.every(({ at }) => at.startsWith("item:"));
  demand(
    (signature.per === "item") === isPerItem && (!isPerItem || batch !== undefined),
    '"per" item, carriers at items and "batch" need each other',
  );
}

const isAlike = (carrier: Carrier, all: readonly Carrier[]): boolean =>
  all.every(
    ({ at, separator, equals }) =>
      at !== carrier.at || (separator === carrier.separator && equals === carrier.equals),
  );

function checkParts({ signature, id, timestamp }: Provider, demand: Demand): void {
  const { signed = [], algorithm, carrier, keyFrom } = signature;
  const { kind, token } = ALGORITHMS[algorithm];
  for (const part of signed)
    demand(
      typeof part === "string" ? NAMED.has(part) : isPart(part),
      `unknown part ${JSON.stringify(part)}`,
    );
  const once = signed.filter((part) => typeof part === "string" || "crc32" in part);
  demand(new Set(once).size === once.length, '"signed" contains a part twice');
  demand(
    signed.includes("id") === (id !== undefined),
    'an "id" must be both signed and sent, or neither',
  );
  demand(
    kind !== "hash" || signed.includes("secret"),
    `${algorithm} without the part "secret" can be made by anybody`,
  );
  demand(
    kind === "hash" || keyFrom !== undefined || !signed.includes("secret"),
    `the part "secret" is not for ${algorithm}: the secret is its key`,
  );
  if (token !== undefined) return;
  const place = timestamp === undefined ? undefined : parsePlace(timestamp.at);
  demand(place !== undefined || !signed.includes("timestamp"), '"timestamp" is missing');
  demand(
    place?.kind !== "header" || signed.includes("timestamp"),
    'a timestamp in a header must be the part "timestamp" of the signed text: otherwise a stranger can choose it',
  );
  demand(
    place?.pair === undefined ||
      carrier.some(({ at, pair }) => pair !== undefined && parsePlace(at).name === place.name),
    "the timestamp is a pair of a header that carries no pairs",
  );
}

const NAMED: ReadonlySet<string> = new Set(["id", "timestamp", "body", "url", "method", "secret"]);

function isPart(part: Exclude<Part, string>): boolean {
  if ("text" in part) return typeof part.text === "string" && part.text !== "";
  if ("ifPresent" in part)
    return part.parts.every((one) => (typeof one === "string" ? NAMED.has(one) : isPart(one)));
  if ("form" in part) return part.form === "sorted";
  return "at" in part || "crc32" in part;
}

function checkPatterns(
  { signature: { keyFrom }, pin = [], require: demanded = [] }: Provider,
  demand: Demand,
): void {
  for (const { at, matches } of [...pin, ...(keyFrom === undefined ? [] : [keyFrom])]) {
    try {
      wholePattern(matches);
    } catch {
      demand(false, `the pattern of ${at} is not a regular expression`);
    }
  }
  demand(
    keyFrom === undefined || !wholePattern(keyFrom.matches).test("https://example.com/key.pem"),
    '"keyFrom" accepts any host: whoever owns one could sign; fix the host and the path',
  );
  for (const condition of demanded) {
    const kinds = ["equals", "startsWith", "present"].filter((one) => one in condition);
    demand(kinds.length === 1, '"require" needs one of "equals", "startsWith" and "present"');
  }
}

/** Returns a pattern of a document as one of the whole value. */
export const wholePattern = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`, "su");

function checkTimestamp(
  { at, unit, toleranceSeconds }: NonNullable<Provider["timestamp"]>,
  covers: (place: Place) => boolean,
  demand: Demand,
): void {
  demand(/^(?:s|ms|iso)(?:\|(?:s|ms|iso))*$/.test(unit), '"unit" must be s, ms or iso');
  demand(isTolerance(toleranceSeconds), '"toleranceSeconds" must be a whole number up to 86400');
  demand(covers(at), `the timestamp at ${at} is not signed: a stranger can choose it`);
}

/** True for whole seconds of at most a day: NaN or Infinity would silently accept every age. */
export const isTolerance = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_TOLERANCE_SECONDS;
