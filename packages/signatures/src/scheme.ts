import type { SignatureErrorCode } from "./codes.ts";
import type { Secret } from "./secret.ts";

/** The part of the Web's `Headers` that is read. */
export interface HeadersObject {
  get(name: string): string | null;
}

/**
 * Node's `IncomingHttpHeaders`, a `Headers`, or a plain record, with names in any case. Two
 * spellings of one name, and a list as a value, are a duplicate and refused where the scheme reads
 * that header; other headers are never looked at.
 */
export type HeadersLike =
  | HeadersObject
  | { readonly [name: string]: string | readonly string[] | undefined };

/** What is signed. */
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
  /** The raw bytes; a body parsed and printed again does not verify. */
  readonly body: Uint8Array;
}

/** The caller's clock and how far the sender's may be from it. */
export interface VerifyOptions {
  /** The receiver's clock in **milliseconds** since the epoch; rounded down to whole seconds. */
  readonly now: number;
  /**
   * The largest accepted distance of the timestamp from `now`, either way, in whole **seconds**,
   * inclusive: a non-negative integer, the scheme's own by default (300 unless it says otherwise).
   */
  readonly toleranceSeconds?: number;
}

/** A genuine attempt: who made the signature is known, the body is still unparsed. */
export interface Verified {
  readonly ok: true;
  /** The signed id; `undefined` where the scheme signs none. */
  readonly id: string | undefined;
  /** The signed time in **seconds**; `undefined` where the scheme signs none. */
  readonly timestamp: number | undefined;
  /** Which of the secrets matched, counted from 0; the first where several do. */
  readonly secretIndex: number;
}

/** A refused attempt. */
export interface Refused {
  readonly ok: false;
  readonly code: SignatureErrorCode;
}

/** What `verify` decided. */
export type Verification = Verified | Refused;

/** What a secret is for: a public key only verifies, a private key only signs. */
export type SecretUse = "sign" | "verify";

/**
 * How an attempt is signed and verified, which the interface leaves open (S 5.3). Pure: the clock
 * and the secrets are arguments.
 */
export interface SignatureScheme {
  /** For logs. */
  readonly name: string;

  /**
   * The headers that sign `message`.
   *
   * @param secrets 1 to 4; each adds its signature, so that receivers may rotate.
   * @throws {TypeError} A part of the message or a secret is unusable: a mistake of the caller.
   */
  sign(message: Message, secrets: readonly Secret[]): Record<string, string>;

  /**
   * Judges an attempt: grammar first, then the signature over the raw bytes, then the timestamp's
   * age, so that an unsigned attempt learns nothing about the clock. Returns a code for whatever a
   * stranger can send; never throws for it.
   *
   * @param secrets 1 to 4; all are tried, so that a secret can be rotated.
   * @throws {TypeError} A secret, the clock, the tolerance or the kind of the body is unusable: a
   *   mistake of the caller. The message never holds a secret.
   */
  verify(attempt: Attempt, secrets: readonly Secret[], options: VerifyOptions): Verification;

  /**
   * Judges secrets at start-up, exactly as `sign` or `verify` would.
   *
   * @throws {TypeError} The list is empty, longer than 4, or holds an unusable secret.
   */
  check(secrets: readonly Secret[], use: SecretUse): void;
}
