import { timingSafeEqual } from "node:crypto";
import { ALGORITHMS, digestOf, isSignedPublicly, joined } from "./algorithms.ts";
import type { Candidate } from "./carriers.ts";
import type { Key } from "./keys.ts";
import type { Algorithm } from "./provider.ts";
import { type CheckedHeaders, type Refused, refused } from "./scheme.ts";
import { type Piece, withSecret } from "./signed-text.ts";

/** Refuses an attempt without a well-formed signature that one of the algorithms could have made. */
export function refuseUnfit(
  { candidates, seen }: Pick<CheckedHeaders, "candidates" | "seen">,
  keys: readonly Pick<Key, "algorithm">[],
  facts: Refused["facts"],
): Refused | undefined {
  const isFor = (one: Algorithm): boolean => keys.some(({ algorithm }) => algorithm === one);
  if (candidates.some(({ algorithm }) => isFor(algorithm))) return undefined;
  return seen.some(isFor)
    ? refused("CS_SIGNATURE_MALFORMED", facts)
    : refused("CS_SIGNATURE_VERSION_UNSUPPORTED", facts);
}

/** Returns what each key has signed. */
export function proofsOf(
  keys: readonly Key[],
  candidates: readonly Candidate[],
  pieces: readonly Piece[],
): readonly (Candidate | undefined)[] {
  // A body is copied at most once, and only for public keys.
  let whole: Uint8Array | undefined;
  return keys.map(({ algorithm, object, text }) => {
    const facts = ALGORITHMS[algorithm];
    const isPublic = facts.kind === "public";
    let digest: Uint8Array | undefined;
    let proof: Candidate | undefined;
    for (const candidate of candidates) {
      if (candidate.algorithm !== algorithm) continue;
      const { token, bytes } = candidate;
      const chunks = token === undefined ? withSecret(pieces, text) : [token.text];
      let isGenuine: boolean;
      if (isPublic && object !== undefined) {
        const isShared = token === undefined && text === undefined;
        const signed = isShared ? (whole ??= joined(chunks)) : joined(chunks);
        isGenuine = isSignedPublicly(facts, signed, { key: object, bytes });
      } else {
        if (token !== undefined || digest === undefined) digest = digestOf(facts, chunks, object);
        isGenuine = timingSafeEqual(digest, bytes);
      }
      if (isGenuine) proof ??= candidate;
    }
    return proof;
  });
}
