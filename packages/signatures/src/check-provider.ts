import { ALGORITHMS } from "./algorithms.ts";
import { boundariesOf, type Boundaries } from "./boundaries.ts";
import { coverageOf, placesIn, signedBy } from "./coverage.ts";
import { parsePlace } from "./places.ts";
import type { KeyForm, Part, Place, Provider } from "./provider.ts";

/** Largest tolerance: what a day's outage of a queue needs. */
const MAX_TOLERANCE_SECONDS = 86_400;

/** The meaning of a document: what its signature covers, and what its user must know. */
export interface Meaning extends Boundaries {
  /** `id`, `timestamp`, `body`, `form`, `url`, `method`, and places. */
  readonly signed: ReadonlySet<string>;
  readonly warnings: readonly string[];
  readonly covers: (place: Place) => boolean;
}

/** Throws a `TypeError` that names the provider and a danger. */
type Demand = (isMet: boolean, danger: string) => void;

/**
 * Checks the meaning of a document whose shape is that of its JSON Schema, and computes what it promises.
 *
 * @throws {TypeError} The document could be fooled, contradicts itself, or has an unknown member. The message names the
 *   provider, the member and the danger.
 */
export function checkProvider(provider: Provider): Meaning {
  const demand: Demand = (isMet, danger) => {
    if (isMet) return;
    throw new TypeError(`invalid provider ${JSON.stringify(provider?.name)}: ${danger}`);
  };
  demand(isObject(provider), "expected a provider's document");
  checkMembers(provider, demand);
  checkAlgorithm(provider, demand);
  checkPlaces(provider, demand);
  checkCarriers(provider, demand);
  checkParts(provider, demand);

  const { title, signature, timestamp, authentic = [] } = provider;
  const { ambiguous, weak, claims = {}, digests = [] } = signature;
  const signed = signedBy(provider);
  const covers = coverageOf(provider, signed);
  const { open, ...boundaries } = boundariesOf(provider);
  for (const { at } of digests)
    demand(covers(at), `the digest at ${at} is not signed: a stranger can choose it; sign it too`);
  if (timestamp !== undefined)
    demand(covers(timestamp.at), `the timestamp at ${timestamp.at} is not signed: sign it too`);
  // A CRC-32 proves no body: the document says as "weak" what follows, and nothing in the body counts as signed.
  const isChecked = signature.weak !== undefined && (signature.signed ?? []).some(isChecksum);
  demand(
    signed.has("body") || signed.has("form") || isChecked || authentic.length > 0,
    'the signature does not cover the body, which a stranger can choose: name what is signed as "authentic"',
  );
  for (const place of authentic)
    demand(
      signed.has(place) || covers(place),
      `"authentic" has ${place}, which the signature does not cover: remove it`,
    );
  demand(
    open <= 1 || ambiguous !== undefined,
    'the signed text splits in two ways, so that a part of one value can become a part of another: separate or pin the parts, or say what follows as "ambiguous"',
  );
  demand(open > 1 || ambiguous === undefined, 'the text is not "ambiguous": remove the member');
  const isTimed = timestamp !== undefined || "exp" in claims;
  const untimed = isTimed
    ? undefined
    : "no time is signed: a captured attempt stays valid forever, and a receiver recognises it only while it remembers the event";
  const warnings = [weak, ambiguous, untimed].filter((one) => one !== undefined);
  return { ...boundaries, signed, covers, warnings: warnings.map((one) => `${title}: ${one}`) };
}

const isChecksum = (part: Part): boolean => typeof part === "object" && "crc32" in part;

const MEMBERS = {
  document:
    "$schema name title documentation sources sdk secret signature id timestamp media require pin batch event variants handshakes answer retries unconfirmed delivery authentic sample catalogue list sending traps",
  signature: "algorithm key encoding carrier signed join per digests claims keyFrom weak ambiguous",
  carrier: "at separator pair equals prefix algorithm",
  timestamp: "at unit toleranceSeconds",
  secret: "where prefix minBytes",
};

/** Rejects unknown members: a misspelt one would silently mean a default. */
function checkMembers(provider: Provider, demand: Demand): void {
  const check = (value: object | undefined, name: keyof typeof MEMBERS): void => {
    demand(value === undefined || isObject(value), `"${name}" must be an object`);
    const known = MEMBERS[name].split(" ");
    for (const member of Object.keys(value ?? {}))
      demand(
        known.includes(member),
        `unknown member "${member}" of "${name}"; expected one of ${known.join(", ")}`,
      );
  };
  const { name, title, signature, timestamp, secret } = provider;
  demand(/^[a-z0-9-]{1,64}$/.test(name ?? ""), '"name" must be 1 to 64 of a-z, 0-9 and "-"');
  demand(typeof title === "string" && title !== "", 'missing "title": the name for messages');
  demand(
    Array.isArray(signature?.carrier) && signature.carrier.length > 0,
    'missing "signature.carrier": expected a list such as [{ "at": "header:X-Signature" }]',
  );
  check(provider, "document");
  check(signature, "signature");
  for (const carrier of signature.carrier) {
    demand(isObject(carrier), '"carrier" must have objects such as { "at": "header:X-Signature" }');
    check(carrier, "carrier");
  }
  check(timestamp, "timestamp");
  check(secret, "secret");
  const { unit = "s", toleranceSeconds = 0 } = timestamp ?? {};
  demand(
    /^(?:s|ms|iso)(?:\|(?:s|ms|iso))*$/.test(unit),
    '"unit" must be s, ms, iso, or as "s|iso"',
  );
  demand(isTolerance(toleranceSeconds), '"toleranceSeconds" must be an integer from 0 to 86400');
  const min = secret?.minBytes ?? 1;
  demand(
    Number.isInteger(min) && min >= 1 && min <= 64,
    '"minBytes" must be an integer from 1 to 64',
  );
}

const PUBLIC_FORMS: readonly KeyForm[] = ["spki", "x509", "jwk"];
const FORMS: Readonly<Record<string, readonly KeyForm[]>> = {
  ed25519: ["hex", "base64", ...PUBLIC_FORMS],
  public: PUBLIC_FORMS,
  shared: ["text", "text-nfkd", "hex", "base64", "whsec"],
};

function checkAlgorithm({ signature }: Provider, demand: Demand): void {
  const { algorithm, key = "text", encoding, signed, claims, weak, keyFrom } = signature;
  demand(
    Object.hasOwn(ALGORITHMS, algorithm),
    `unknown algorithm ${JSON.stringify(algorithm)}; expected one of ${Object.keys(ALGORITHMS).join(", ")}`,
  );
  const { kind, token, isWeak } = ALGORITHMS[algorithm];
  const isToken = token !== undefined;
  const forms = FORMS[algorithm] ?? FORMS[kind === "public" ? kind : "shared"] ?? [];
  demand(forms.includes(key), `"key" of ${algorithm} must be one of ${forms.join(", ")}`);
  demand(!isToken || signed === undefined, 'a JWT has "claims" and no "signed": remove "signed"');
  demand(isToken || claims === undefined, '"claims" is for JWT only: remove it');
  demand(
    isToken || (Array.isArray(signed) && signed.length > 0),
    'missing "signed": expected the parts of the signed text, such as ["timestamp", { "text": "." }, "body"]',
  );
  demand(!isToken || encoding === undefined, 'a JWT has no "encoding": remove it');
  demand(
    isToken || /^(?:hex|base64|base64url)$/.test(encoding ?? ""),
    `"encoding" must be hex, base64 or base64url, not ${JSON.stringify(encoding)}`,
  );
  demand(!isWeak || weak !== undefined, `${algorithm} is weak: say as "weak" why it is accepted`);
  demand(
    keyFrom === undefined || kind === "public",
    '"keyFrom" needs an algorithm of public keys, such as rsa-sha256',
  );
}

function checkPlaces({ signature, id, timestamp, batch, ...rest }: Provider, demand: Demand): void {
  const { carrier, signed = [], digests = [], keyFrom } = signature;
  for (const part of signed)
    demand(isPart(part), `unknown part ${JSON.stringify(part)}; expected ${PARTS}`);
  const { pin = [], authentic = [], require: conditions = [] } = rest;
  const patterns = [...pin, ...(keyFrom === undefined ? [] : [keyFrom])];
  const named = [...carrier, ...digests, ...conditions, ...patterns].map(({ at }) => at);
  const single = [id?.at, timestamp?.at, batch].filter((one) => one !== undefined);
  for (const place of [...named, ...single, ...authentic, ...placesIn(signed)])
    demand(
      succeeds(() => parsePlace(place)),
      `${JSON.stringify(place)} is not a place: expected such as header:Name, body:/member, form:name, query:name or url`,
    );
  for (const { at, matches } of patterns)
    demand(
      typeof matches === "string" && succeeds(() => wholePattern(matches)),
      `"matches" at ${at} is missing or is not a regular expression: ${JSON.stringify(matches)}`,
    );
  demand(
    keyFrom === undefined || PINNED_URL.test(keyFrom.matches) || isKeyId(keyFrom.matches),
    '"keyFrom" accepts other hosts, whose owners could sign: begin "matches" with "https://" and the host, such as "https://keys\\\\.example\\\\.com/", whose last two labels are literal (three for such as co.uk), and use no "|"; the name of a key must match no colon',
  );
  for (const one of conditions) {
    const kinds = ["equals", "startsWith", "present"].filter((kind) => kind in one);
    demand(
      kinds.length === 1,
      `"require" at ${one.at} needs one of "equals", "startsWith", "present"`,
    );
  }
}

/** A pattern's literal group, which may be missing from a host: `(?:\.sandbox)?`. */
const OPTION = String.raw`\((?:\?:)?(?:[a-z0-9-]|\\\.)+\)\?`;
/** Names under which anybody registers a domain of a country: `co.uk`. */
const SECOND = String.raw`(?:ac|co|com|edu|go|gob|gov|ne|net|or|org)\\\.`;
/** A pattern of URLs of one domain: labels before it may be of a class such as `[a-z0-9-]{3,32}`. */
const PINNED_URL = new RegExp(
  String.raw`^https://(?:(?:[a-z0-9-]|\\\.|\[[a-z0-9-]+\](?:\+|\{[\d,]+\})|${OPTION})*\\\.)?` +
    String.raw`(?!${SECOND}[a-z]{2}[/(])[a-z0-9-]+\\\.(?:${SECOND})?[a-z0-9-]+(?:${OPTION})*/[^|]*$`,
);

/** True for a pattern none of whose atoms matches a colon, so that no URL fits it. */
function isKeyId(pattern: string): boolean {
  const atoms = pattern.match(/\[(?:\\.|[^\]\\])*\]|\\.|\(\?:|[^()|?*+{}]/gsu) ?? [];
  const any = atoms.filter((atom) => atom !== "(?:").join("|");
  return !/\\[^dw\W]/.test(pattern) && !wholePattern(any).test(":");
}

function succeeds(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}

/** Places whose values have another meaning, or cannot be signatures. */
const FOREIGN =
  /^(?:header:(?:cookie|set-cookie|host|content-type|content-length)|(?:query|jwt|jose|url).*)$/i;

function checkCarriers({ signature, batch }: Provider, demand: Demand): void {
  const known = new Map<string, string>();
  for (const { at, separator, pair, equals = "=", prefix } of signature.carrier) {
    const own = pair ?? prefix;
    demand(!FOREIGN.test(at), `${at} cannot carry a signature: use another header, form: or body:`);
    demand(![separator, equals, own].includes(""), `at ${at} an empty text would match everything`);
    demand(
      pair === undefined || prefix === undefined,
      `at ${at} keep "pair" or "prefix", not both`,
    );
    demand(!separator || !own?.includes(separator), `at ${at} "${own}" contains the separator`);
    demand(
      !known.has(`${at} ${own}`),
      `two carriers at ${at} match the same signatures: give each its own "pair" or "prefix"`,
    );
    const form = `${separator} ${equals}`;
    const isOne = (known.get(at) ?? form) === form;
    demand(isOne, `carriers at ${at} must have one "separator" and one "equals"`);
    known.set(`${at} ${own}`, "").set(at, form);
  }
  const isPerItem = signature.carrier.every(({ at }) => at.startsWith("item:"));
  demand(
    (signature.per === "item") === isPerItem && (!isPerItem || batch !== undefined),
    '"per": "item", carriers at item:/… and "batch" need each other: give all of them or none',
  );
}

function checkParts({ signature, id, timestamp }: Provider, demand: Demand): void {
  const { signed = [], algorithm, carrier, keyFrom } = signature;
  const { kind, token } = ALGORITHMS[algorithm];
  const has = (part: Part): boolean => signed.includes(part);
  const named = signed.filter((part) => typeof part === "string");
  demand(new Set(named).size === named.length, '"signed" contains a part twice');
  demand(has("id") === (id !== undefined), 'an "id" must be both signed and sent, or neither');
  demand(
    kind !== "hash" || has("secret"),
    `anybody can make ${algorithm} without a secret: add the part "secret" to "signed"`,
  );
  demand(
    kind === "hash" || keyFrom !== undefined || !has("secret"),
    `the part "secret" is not for ${algorithm}: the secret is its key; remove the part`,
  );
  if (token !== undefined) return;
  const time = timestamp && parsePlace(timestamp.at);
  demand(
    time !== undefined || !has("timestamp"),
    'missing "timestamp": the part "timestamp" is signed, so say where it is, with its unit and tolerance',
  );
  demand(
    time?.kind !== "header" || has("timestamp"),
    'a timestamp in a header must be the part "timestamp": otherwise a stranger can choose it',
  );
  demand(
    time?.pair === undefined ||
      carrier.some(({ at, pair }) => pair !== undefined && parsePlace(at).name === time.name),
    `the timestamp is a pair (${timestamp?.at}) of a header that carries no pairs: give a carrier at this header a "pair"`,
  );
}

const NAMED = ["id", "timestamp", "body", "url", "method", "secret"];
const PARTS = `${NAMED.join(", ")}, or an object with text, at, crc32, form or ifPresent`;

function isPart(part: Part): boolean {
  if (typeof part === "string") return NAMED.includes(part);
  if (!isObject(part)) return false;
  if ("text" in part) return typeof part.text === "string" && part.text !== "";
  if ("ifPresent" in part) return Array.isArray(part.parts) && part.parts.every(isPart);
  return "form" in part ? part.form === "sorted" : "at" in part || "crc32" in part;
}

/** True for an object or a list: documents are JSON that nothing else may have checked. */
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

/** Returns a pattern of a document as one of the whole value. */
export const wholePattern = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`, "su");

/** True for whole seconds of at most a day: NaN or Infinity would silently accept every age. */
export const isTolerance = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_TOLERANCE_SECONDS;
