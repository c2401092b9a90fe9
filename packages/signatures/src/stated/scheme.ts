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

/** The values that are signed. */
export interface Message {
  /** The event's id, the same in every retry: 1 to 256 characters of `[A-Za-z0-9_-]`. */
  readonly id: string;
  /** The attempt's time in whole **seconds** since the epoch, 0 to 999,999,999,999. */
  readonly timestamp: number;
  /** The exact bytes that are sent. */
  readonly body: Uint8Array;
}

/** One HTTP POST as it arrived. */
export interface Attempt {
  readonly headers: HeadersLike;
  /** The raw bytes; a body that was parsed and printed again does not verify. */
  readonly body: Uint8Array;
  /** The result of the same scheme's `checkHeaders(headers)`: the headers are not read again. */
  readonly checked?: CheckedHeaders | undefined;
}

/** A scheme's headers, present and in its form. Nothing in them is proved yet. */
export interface CheckedHeaders {
  readonly ok: true;
  readonly id: string | undefined;
  readonly timestamp: number | undefined;
  /** The timestamp as it was sent and signed. */
  readonly sent: string | undefined;
  readonly signatures: ReadSignatures;
}

/** The contents of a signature header. */
export interface ReadSignatures {
  /** The bytes of HMACs, all of the digest's length. */
  readonly hmac: readonly Uint8Array[];
  readonly ed25519: readonly Uint8Array[];
  /** Kinds that appeared, well-formed or not. */
  readonly kinds: readonly ("hmac" | "ed25519")[];
  /** The timestamp of pairs. */
  readonly timestamp: string | undefined;
}

/** The caller's clock and the accepted distance of the sender's. */
export interface VerifyOptions {
  /** The receiver's clock in **milliseconds** since the epoch; rounded down to whole seconds. */
  readonly now: number;
  /**
   * Largest accepted distance between the timestamp and `now`, either way, in whole **seconds**, inclusive:
   * a non-negative integer. Default: the scheme's own, which is 300 unless it says otherwise.
   */
  readonly toleranceSeconds?: number;
}

/** A genuine attempt. The body is authentic but still unparsed. */
export interface Verified {
  readonly ok: true;
  /** The signed id; `undefined` if the scheme signs none. */
  readonly id: string | undefined;
  /** The signed time in **seconds**; `undefined` if the scheme signs none. */
  readonly timestamp: number | undefined;
  /** Index of the secret that matched; the first one if several do. */
  readonly secretIndex: number;
}

/** Details of a refusal for the receiver's own log. A sender must not see them. */
export interface RefusalFacts {
  /** The header that is missing, duplicate or not in the scheme's form. */
  readonly header?: string;
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

/** Signs and verifies attempts. Pure: the clock and the secrets are arguments. */
export interface SignatureScheme {
  /** For logs. */
  readonly name: string;
  /** False if neither an id nor a time is signed: a recorded attempt then verifies forever. */
  readonly replayProtection: boolean;

  /**
   * Returns the headers that sign `message`.
   *
   * @param secrets 1 to 4; each adds its signature, so that receivers can rotate.
   * @throws {TypeError} A part of the message or a secret is unusable.
   */
  sign(message: Message, secrets: readonly Secret[]): Record<string, string>;

  /**
   * Checks the presence and form of the scheme's headers. Needs neither secrets nor the body, so that a stranger's
   * body need not be read. Says nothing about the timestamp's age, which only a genuine signature may reveal.
   *
   * @throws {TypeError} `headers` is not an object.
   */
  checkHeaders(headers: HeadersLike): CheckedHeaders | Refused;

  /**
   * Verifies an attempt: first the form of its headers, then the signature over the raw bytes, then the timestamp's
   * age, so that a sender who cannot sign learns nothing about the clock. Never throws for what a stranger sends.
   *
   * @param secrets 1 to 4; all are tried, so that a secret can be rotated.
   * @throws {TypeError} A secret, the clock, the tolerance or the kind of the body is unusable: a mistake of the
   *   caller. The message never contains a secret.
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
  CS_SIGNATURE_TIMESTAMP_INVALID:
    "The timestamp is not a whole number of seconds in at most 12 digits without a leading zero.",
  CS_SIGNATURE_MALFORMED:
    "The signature header is not in the scheme's form, or none of its signatures is canonically encoded in the exact length.",
  CS_SIGNATURE_TOO_MANY: "The signature header carries more than 8 signatures.",
  CS_SIGNATURE_VERSION_UNSUPPORTED:
    "The signature header carries only versions that none of the secrets can verify.",
  CS_SIGNATURE_MISMATCH: "None of the secrets produces any of the signatures.",
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
