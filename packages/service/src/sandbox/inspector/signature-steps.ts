import type { ProviderDocument } from "@countersign/schemas/providers";
import { type CheckedHeaders, schemeOf } from "@countersign/signatures";
import { explain, type Explanation } from "@countersign/signatures/explain";
import { parsePlace, Places } from "@countersign/signatures/places";
import { type Piece, textReader } from "@countersign/signatures/signed-text";

/** An attempt whose signature is verified step by step. */
export interface SignedAttempt {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array;
  /** The URL that the provider sends to. */
  readonly url?: string | undefined;
}

/** A part of the signed text. */
export interface SignedPart {
  readonly name: string;
  readonly text: string;
}

export interface SignatureSteps {
  readonly algorithm: string;
  /** The places that carry the signature, such as `Stripe-Signature`. */
  readonly carrier: string;
  readonly parts: readonly SignedPart[];
  /** 12 hexadecimal digits that identify the secret; `null` without one. */
  readonly fingerprint: string | null;
  /** The carrier's text with the right signature; `null` if only the provider can make it. */
  readonly expected: string | null;
  readonly received: string | null;
  /** `genuine`, the code of the refusal, or `unknown` without a secret. */
  readonly verdict: string;
  readonly explanations: readonly Explanation[];
}

export interface StepsOptions {
  readonly secret: string | undefined;
  /** The key that the attempt names, for providers whose attempts do. */
  readonly key?: string | undefined;
  readonly claims?: Readonly<Record<string, string>>;
  /** The clock at the attempt's arrival, in milliseconds. */
  readonly now: number;
  /** Name of the secret in explanations. */
  readonly secretName: string;
}

/** Verifies an attempt's signature step by step, for any provider. Never shows a secret. */
export function signatureSteps(
  provider: ProviderDocument,
  given: SignedAttempt,
  { secret, key, claims = {}, now, secretName }: StepsOptions,
): SignatureSteps {
  const scheme = schemeOf(provider);
  const { algorithm, carrier, digests = [] } = provider.signature;
  const attempt = { ...given, headers: lowered(given.headers) };
  const place = parsePlace((carrier[0]?.at ?? "").replace(/#.*$/s, ""));
  const received = valueAt(place, attempt);
  const options = { now, claims, key };
  const secrets = secret === undefined ? [] : [secret];
  const isKnown = (scheme.needsKey ? key : secret) !== undefined;
  const verdict = isKnown ? scheme.verify(attempt, secrets, options) : undefined;
  const checked = scheme.checkHeaders(attempt.headers);
  /** The carrier's text as the secret makes it. Only digests are the same each time. */
  const expected = (): string | null => {
    // To sign again would add a second digest to the URL.
    const isInQuery = digests.some((digest) => digest.at.startsWith("query:"));
    if (!checked.ok || secret === undefined || isInQuery || !/^(?:hmac-|sha)/.test(algorithm))
      return null;
    const { timestamp = Math.floor(now / 1000), id } = checked;
    try {
      const signed = scheme.sign({ ...attempt, id, timestamp, claims }, secrets);
      const headers = { ...attempt.headers, ...lowered(signed.headers) };
      return valueAt(place, { ...attempt, ...signed, headers }) ?? null;
    } catch (error) {
      // The attempt lacks a value that is signed; `explanations` say which.
      if (error instanceof TypeError) return null;
      throw error;
    }
  };
  const isBad = verdict !== undefined && !verdict.ok;
  return {
    algorithm,
    carrier: place.name === "" ? place.text : place.name,
    parts: checked.ok ? partsOf(provider, attempt, checked, received) : [],
    fingerprint:
      secret === undefined ? null : (scheme.check(secrets, "verify")[0]?.fingerprint ?? null),
    expected: expected(),
    received: received ?? null,
    verdict: verdict === undefined ? "unknown" : verdict.ok ? "genuine" : verdict.code,
    explanations: (isBad ? explain(attempt, secrets, provider, options) : []).map((one) => ({
      ...one,
      sentence: one.sentence.replaceAll("secrets[0]", secretName),
    })),
  };
}

const lowered = (headers: SignedAttempt["headers"]): SignedAttempt["headers"] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** The whole text at the place of the signature: a header may have other values too. */
function valueAt(
  place: ReturnType<typeof parsePlace>,
  { headers, body, url }: SignedAttempt,
): string | undefined {
  const value =
    place.kind === "header" ? headers[place.name] : new Places({ headers, body, url }).any(place);
  return typeof value === "string" ? value : undefined;
}

type Part = NonNullable<ProviderDocument["signature"]["signed"]>[number];

function partsOf(
  provider: ProviderDocument,
  { method, headers, body, url }: SignedAttempt,
  checked: CheckedHeaders,
  carried: string | undefined,
): readonly SignedPart[] {
  const { signature } = provider;
  const { signed = [], join, algorithm, per } = signature;
  if (algorithm.startsWith("jwt-")) return tokenParts(carried ?? "");
  const whole = new Places({ headers, body, url });
  whole.fromSignature.pairs = checked.pairs;
  const items =
    per === "item" && provider.batch !== undefined ? whole.any(parsePlace(provider.batch)) : [];
  const places = Array.isArray(items) && items.length > 0 ? whole.ofItem(items[0]) : whole;
  const read = (part: Part): SignedPart => {
    const pieces = textReader({ ...provider, signature: { ...signature, signed: [part] } })({
      id: checked.id,
      sent: checked.sent,
      body,
      method,
      places,
    });
    return { name: nameOf(part), text: pieces.map(pieceText).join("") };
  };
  return signed.flatMap((part, index) => [
    ...(index > 0 && join !== undefined ? [{ name: "text", text: join }] : []),
    read(part),
  ]);
}

const pieceText = (piece: Piece): string =>
  typeof piece === "symbol" ? "(the secret)" : Buffer.from(piece).toString();

/** `id`, `timestamp`, `body`, `url`, `method`, `secret`, `text`, or a place. */
function nameOf(part: Part): string {
  if (typeof part === "string") return part;
  if ("text" in part) return "text";
  if ("at" in part) return part.at;
  if ("crc32" in part) return "CRC-32 of the body";
  return "form" in part ? "the form's fields, sorted" : `parts, if ${part.ifPresent} is sent`;
}

/** The header and the claims of a token, which are what it signs. */
function tokenParts(carried: string): readonly SignedPart[] {
  const [header = "", claims = ""] = carried.replace(/^.* /s, "").split(".");
  const text = (part: string): string => Buffer.from(part, "base64url").toString();
  return [
    { name: "token header", text: text(header) },
    { name: "claims", text: text(claims) },
  ];
}
