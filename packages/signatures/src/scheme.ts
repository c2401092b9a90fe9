import type { Candidate } from "./carriers.ts";
import type { PlaceProblem, Places } from "./places.ts";
import type { Algorithm, Place } from "./provider.ts";
import type { Secret } from "./secret.ts";

/** The part of the Web's `Headers` that a scheme reads. */
export interface HeadersObject {
  get(name: string): string | null;
}

/**
 * Node's `IncomingHttpHeaders`, a `Headers`, or a plain record, with names in any case. A scheme reads its own
 * headers only; one that appears in two spellings or has a list as its value is a duplicate.
 */
export type HeadersLike =
  | HeadersObject
  | { readonly [name: string]: string | readonly string[] | undefined };

/** The values that are signed. A scheme demands those that its document names. */
export interface Message {
  /** The event's id, the same in every retry: 1 to 256 characters of `[A-Za-z0-9_-]`. */
  readonly id?: string | undefined;
  /** The attempt's time in whole **seconds** since the epoch. */
  readonly timestamp?: number | undefined;
  /** The exact bytes that are sent. */
  readonly body: Uint8Array;
  /** Other headers that are sent, of which some senders sign one. */
  readonly headers?: HeadersLike | undefined;
  /** The absolute URL. */
  readonly url?: string | undefined;
  readonly method?: string | undefined;
  /** Values of the claims that the document leaves to the user. */
  readonly claims?: Readonly<Record<string, string>> | undefined;
}

/** The additions of signing to a message: headers, or a body or URL that contains the signature. */
export interface Signed {
  readonly headers: Record<string, string>;
  readonly body?: Uint8Array;
  readonly url?: string;
}

/** One HTTP request as it arrived. */
export interface Attempt {
  readonly headers: HeadersLike;
  /** The raw bytes; a body that was parsed and printed again does not verify. */
  readonly body: Uint8Array;
  /** The absolute URL that the sender has; only its path and query if the scheme does not sign the rest. */
  readonly url?: string | undefined;
  readonly method?: string | undefined;
  /** The result of the same scheme's `checkHeaders(headers)`: the headers are not read again. */
  readonly checked?: CheckedHeaders | undefined;
  /** The reader of this attempt's places, if the caller reads it too. */
  readonly places?: Places | undefined;
}

/** A scheme's headers, present and in its form. Nothing in them is proved yet. */
export interface CheckedHeaders {
  readonly ok: true;
  readonly id: string | undefined;
  /** The timestamp as it was sent and signed, if it is in a header. */
  readonly sent: string | undefined;
  /** That timestamp in seconds. */
  readonly timestamp: number | undefined;
  /** The signatures in headers, all of their algorithm's length. */
  readonly candidates: readonly Candidate[];
  /** Algorithms that appeared, well-formed or not. */
  readonly seen: readonly Algorithm[];
  /** The other names and values in the signature's headers, as `name#pair`. */
  readonly pairs: readonly (readonly [name: string, value: string])[];
}

/** The caller's clock and what else verifying needs. */
export interface VerifyOptions {
  /** The receiver's clock in **milliseconds** since the epoch; rounded down to whole seconds. */
  readonly now: number;
  /**
   * Largest accepted distance between the timestamp and `now`, either way, in whole **seconds**, inclusive: an
   * integer from 0 to 86,400. Default: the document's.
   */
  readonly toleranceSeconds?: number | undefined;
  /** The key of the value that `keyPlace` returned: PEM or JWK. */
  readonly key?: string | undefined;
  /** Values of the claims that the document leaves to the user, by their options' names. */
  readonly claims?: Readonly<Record<string, string>> | undefined;
  /**
   * Also does the work of those kinds of keys that `secrets` lacks, so that the time of a refusal does not reveal
   * which tenants exist. `secrets` may then be empty, for an unknown tenant.
   */
  readonly decoys?: boolean | undefined;
}

/** A genuine attempt. The body is authentic but still unparsed. */
export interface Verified {
  readonly ok: true;
  /** The signed id; `undefined` if the scheme does not sign an id separately. */
  readonly id: string | undefined;
  /** The signed time in **seconds**; `undefined` if the scheme signs none. */
  readonly timestamp: number | undefined;
  /** Index of the secret that matched; the first one if several do. */
  readonly secretIndex: number;
  /** The values that the signature covers: `id`, `timestamp`, `body`, `form`, `url`, `method`, and places. */
  readonly signed: ReadonlySet<string>;
}

/** Details of a refusal for the receiver's own log. A sender must not see them. */
export interface RefusalFacts {
  /** The header that is missing, duplicate or not in the scheme's form. */
  readonly header?: string;
  /** The place or claim that is missing, duplicate or has another value than it must. */
  readonly place?: string;
  /** The sender's clock minus ours in seconds; negative if the attempt is old. Present only after a genuine signature. */
  readonly clockDifferenceSeconds?: number;
  /** Fingerprints of the secrets that were tried, in their order. */
  readonly fingerprints?: readonly string[];
}

/** A refused attempt. */
export interface Refused {
  readonly ok: false;
  readonly code: SignatureErrorCode;
  readonly facts: RefusalFacts;
}

/** The result of `verify`. */
export type Verification = Verified | Refused;

/** The purpose of a secret: a public key only verifies, a private key only signs. */
export type SecretUse = "sign" | "verify";

/** A usable secret, described without revealing it. */
export interface CheckedSecret {
  /** 12 hexadecimal digits that identify the key: equal for every spelling of it and for both halves of a key pair. */
  readonly fingerprint: string;
  /** A likely mistake, as a sentence for the operator. */
  readonly warning?: string;
}

/** Signs and verifies attempts as a provider's document says. Pure: the clock and the secrets are arguments. */
export interface SignatureScheme {
  /** The provider's name. */
  readonly name: string;
  /** The provider's name for messages. */
  readonly title: string;
  /** True if a time is signed. If not, a recorded attempt verifies forever. */
  readonly replayProtection: boolean;
  /** True if the signature covers the absolute URL, which the user then configures. */
  readonly needsUrl: boolean;
  /** True if the message names its key: `keyPlace` returns the name, and `verify` takes the key. */
  readonly needsKey: boolean;
  /** The document's dangers, a sentence each: to be logged once. */
  readonly warnings: readonly string[];

  /** True if a genuine signature proves the value at `place`. Computed from the document. */
  readonly covers: (place: Place) => boolean;

  /**
   * Returns the headers that sign `message`; also its body or URL if the signature is in there.
   *
   * @param secrets 1 to 4; each adds its signature, so that receivers can rotate.
   * @throws {TypeError} A part of the message or a secret is unusable.
   */
  sign(message: Message, secrets: readonly Secret[]): Signed;

  /**
   * Checks the presence and form of the scheme's headers. Needs neither secrets nor the body, so that a stranger's
   * body need not be read. Says nothing about the timestamp's age, which only a genuine signature may reveal.
   *
   * @throws {TypeError} `headers` is not an object.
   */
  checkHeaders(headers: HeadersLike): CheckedHeaders | Refused;

  /**
   * Returns the value that names the attempt's key, in the form that the document demands; `undefined` if the scheme
   * needs no key. Nothing is proved yet: a stranger may send any of the allowed values.
   */
  keyPlace(attempt: Attempt): string | Refused | undefined;

  /**
   * Verifies an attempt: first the form of its headers, then the signature over the raw bytes, then everything that
   * only a genuine signature may reveal: claims, digests, the timestamp's age, demanded values. Never throws for what a
   * stranger sends.
   *
   * @param secrets 1 to 4; all are tried, so that a secret can be rotated.
   * @throws {TypeError} A secret, the key, the clock, the tolerance or the kind of the body is unusable: a mistake of
   *   the caller. The message never contains a secret.
   */
  verify(attempt: Attempt, secrets: readonly Secret[], options: VerifyOptions): Verification;

  /**
   * Checks secrets at start-up, exactly as `sign` or `verify` does.
   *
   * @throws {TypeError} The list is empty, longer than 4, or has an unusable secret.
   */
  check(secrets: readonly Secret[], use: SecretUse): readonly CheckedSecret[];
}

/**
 * Every reason for which `verify` refuses an attempt. A code is never renamed or reused. The codes are for logs and
 * metrics: a sender that cannot sign must only learn that the attempt is refused.
 */
export const signatureErrorCodes = {
  CS_SIGNATURE_HEADER_MISSING: "A header of the scheme is missing.",
  CS_SIGNATURE_HEADER_DUPLICATE:
    "A header of the scheme arrived twice: as a list, in two spellings, or joined with a comma and a space.",
  CS_SIGNATURE_HEADER_INVALID: "A header of the scheme is not printable ASCII text.",
  CS_SIGNATURE_HEADER_TOO_LONG: "A header of the scheme is longer than 4,096 characters.",
  CS_SIGNATURE_ID_INVALID: "The id is not 1 to 256 characters of A-Z, a-z, 0-9, `_` and `-`.",
  CS_SIGNATURE_TIMESTAMP_INVALID: "The timestamp is missing or not in the document's unit.",
  CS_SIGNATURE_MALFORMED:
    "The signature is not in the scheme's form, or none is canonically encoded in the exact length.",
  CS_SIGNATURE_TOO_MANY:
    "The attempt carries more than 8 signatures, or more than 2 that need a public key.",
  CS_SIGNATURE_VERSION_UNSUPPORTED:
    "The signature header carries only versions that none of the secrets can verify.",
  CS_SIGNATURE_MISMATCH: "None of the secrets produces any of the signatures.",
  CS_SIGNATURE_PLACE_MISSING: "A value that the signature needs is missing.",
  CS_SIGNATURE_PLACE_INVALID:
    "A value that the signature needs appears twice, cannot be read, or is not in the form that the document demands.",
  CS_SIGNATURE_CONDITION_UNMET: "The attempt does not meet a condition of the document.",
  CS_SIGNATURE_DIGEST_MISMATCH: "A signed digest is not that of the body or the URL.",
  CS_SIGNATURE_TOKEN_INVALID:
    "The token (JWT) has another algorithm or issuer, lacks a claim, or is for another URL.",
  CS_SIGNATURE_TIMESTAMP_TOO_OLD: "The signature is genuine, but older than the tolerance allows.",
  CS_SIGNATURE_TIMESTAMP_TOO_NEW:
    "The signature is genuine, but its timestamp is further ahead than the tolerance allows.",
} as const;

/** The code of a refused attempt. */
export type SignatureErrorCode = keyof typeof signatureErrorCodes;

/** Refuses an attempt. */
export function refused(code: SignatureErrorCode, facts: RefusalFacts = {}): Refused {
  return { ok: false, code, facts };
}

/** Refuses an attempt of which a place cannot be read. */
export function refuseProblem({ place, reason }: PlaceProblem): Refused {
  return reason === "missing"
    ? refused("CS_SIGNATURE_PLACE_MISSING", { place })
    : refused("CS_SIGNATURE_PLACE_INVALID", { place });
}
