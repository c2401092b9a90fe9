import { ALGORITHMS, decode } from "./algorithms.ts";
import { parsePlace, type ParsedPlace } from "./places.ts";
import type { Algorithm, Carrier, SignatureDocument } from "./provider.ts";
import { type Refused, refused } from "./scheme.ts";
import { readToken, type Token } from "./tokens.ts";

/** Most signatures in one attempt. */
const MAX_SIGNATURES = 8;
/** Most signatures that need a public key: verifying one costs as much as a hundred HMACs. */
const MAX_PUBLIC = 2;
/** Most entries between separators, other than signatures. */
const MAX_OTHER_ENTRIES = 8;
const MAX_CARRIED_LENGTH = 8192;

/** A well-formed signature that arrived. */
export interface Candidate {
  readonly algorithm: Algorithm;
  readonly bytes: Uint8Array;
  /** The token that the signature is part of. */
  readonly token: Token | undefined;
}

/** The signatures and pairs at one place. */
export interface Carried {
  readonly candidates: Candidate[];
  /** Algorithms that appeared, well-formed or not. */
  readonly seen: Algorithm[];
  readonly pairs: [name: string, value: string][];
}

/** The carriers with the same place: `v1,…` and `v1a,…` in one header. */
export interface CarrierGroup {
  readonly place: ParsedPlace;
  readonly carriers: readonly Carrier[];
  /** Adds what a value carries to `into`. */
  readonly read: (value: string, into: Carried) => Refused | undefined;
}

/** Groups a document's carriers by their places. */
export function carrierGroups(signature: SignatureDocument): readonly CarrierGroup[] {
  const places = [...new Set(signature.carrier.map(({ at }) => at))];
  return places.map((at) => {
    const carriers = signature.carrier.filter((one) => one.at === at);
    return group(parsePlace(at), carriers, signature);
  });
}

function group(
  place: ParsedPlace,
  carriers: readonly Carrier[],
  { algorithm: ofDocument, encoding = "base64url" }: SignatureDocument,
): CarrierGroup {
  const { separator, equals = "=" } = carriers[0] ?? {};
  const mark = carriers[0]?.prefix?.at(-1) ?? "";
  const hasPairs = carriers.some(({ pair }) => pair !== undefined);
  const isHeader = place.kind === "header";
  const facts = isHeader ? { header: place.name } : { place: place.text };

  function read(value: string, into: Carried): Refused | undefined {
    // Node and the Web join a repeated header with a comma and a space.
    if (isHeader && separator !== ", " && value.includes(", "))
      return refused("CS_SIGNATURE_HEADER_DUPLICATE", facts);
    if (value.length > MAX_CARRIED_LENGTH || !/^[\x20-\x7e]*$/.test(value))
      return isHeader
        ? refused("CS_SIGNATURE_HEADER_INVALID", facts)
        : refused("CS_SIGNATURE_MALFORMED", facts);
    const entries = separator === undefined ? [value] : value.split(separator);
    if (entries.length > MAX_SIGNATURES + MAX_OTHER_ENTRIES)
      return refused("CS_SIGNATURE_TOO_MANY", facts);
    for (const entry of entries) {
      const at = hasPairs ? entry.indexOf(equals) : 0;
      if (entry === "" || (hasPairs && at < 1)) return refused("CS_SIGNATURE_MALFORMED", facts);
      const name = entry.slice(0, at);
      const carrier = hasPairs
        ? carriers.find(({ pair }) => pair === name)
        : carriers.find(({ prefix = "" }) => entry.startsWith(prefix));
      if (carrier === undefined && hasPairs) {
        const pair = `${place.name}#${name}`;
        if (into.pairs.some(([known]) => known === pair))
          return refused("CS_SIGNATURE_MALFORMED", facts);
        into.pairs.push([pair, entry.slice(at + equals.length)]);
        continue;
      }
      // Another version is skipped; it ends as the known one does.
      if (carrier === undefined && separator !== undefined && entry.indexOf(mark) >= 1) continue;
      if (carrier === undefined) return refused("CS_SIGNATURE_MALFORMED", facts);
      const { algorithm = ofDocument, prefix = "" } = carrier;
      const text = entry.slice(hasPairs ? at + equals.length : prefix.length);
      into.seen.push(algorithm);
      const candidate = candidateOf(algorithm, text, encoding);
      if (candidate !== undefined) into.candidates.push(candidate);
    }
    const isCostly = ({ algorithm }: Candidate): boolean => ALGORITHMS[algorithm].kind === "public";
    return into.seen.length > MAX_SIGNATURES || into.candidates.filter(isCostly).length > MAX_PUBLIC
      ? refused("CS_SIGNATURE_TOO_MANY", facts)
      : undefined;
  }

  return { place, carriers, read };
}

/** Decodes one signature; `undefined` if it is not canonically encoded or has another length. */
function candidateOf(
  algorithm: Algorithm,
  text: string,
  encoding: Parameters<typeof decode>[1],
): Candidate | undefined {
  const { bytes: length, token: alg } = ALGORITHMS[algorithm];
  const token = alg === undefined ? undefined : readToken(text, alg);
  if (alg !== undefined && token === undefined) return undefined;
  const bytes = token?.signature ?? decode(text, encoding);
  if (bytes === undefined || bytes.length === 0) return undefined;
  if (length !== undefined && bytes.length !== length) return undefined;
  return { algorithm, bytes, token };
}

/** Prints the signatures of one place, with the pairs that precede them. */
export function printCarried(
  { carriers }: CarrierGroup,
  signatures: readonly { readonly carrier: Carrier; readonly text: string }[],
  pairs: readonly (readonly [string, string])[],
): string {
  const { separator = "", equals = "=" } = carriers[0] ?? {};
  return [
    ...pairs.map(([name, text]) => name + equals + text),
    ...signatures.map(({ carrier: { pair, prefix = "" }, text }) =>
      pair === undefined ? prefix + text : pair + equals + text,
    ),
  ].join(separator);
}
