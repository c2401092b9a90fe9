import { describedHmac } from "./described-hmac.ts";
import type { Encoding } from "./encoding.ts";
import type { HmacAlgorithm } from "./hmac.ts";
import { hmacPresets } from "./hmac-presets.ts";
import type { Attempt, Refused, SignatureScheme, Verified, VerifyOptions } from "./scheme.ts";
import type { Secret } from "./secret.ts";

/** Options of `bodyHmac`. */
export interface BodyHmacOptions {
  /** The header's name. */
  readonly header: string;
  /** `sha256` by default. */
  readonly algorithm?: HmacAlgorithm;
  /** `hex` (lower case) by default. */
  readonly encoding?: Encoding;
  /** What stands before the signature, such as `sha256=`; nothing by default. */
  readonly prefix?: string;
  /** The fewest bytes of a secret: an integer from 1 to 64, 24 by default; see `HmacDescription`. */
  readonly minSecretBytes?: number;
}

/** A genuine body, which may have been sent before: nothing signed tells one attempt from another. */
export interface ReplayableVerified extends Verified {
  readonly id: undefined;
  readonly timestamp: undefined;
}

/** A scheme without replay protection. */
export interface ReplayableScheme extends SignatureScheme {
  /** A recorded attempt verifies for ever. */
  readonly replayProtection: false;
  verify(
    attempt: Attempt,
    secrets: readonly Secret[],
    options: VerifyOptions,
  ): ReplayableVerified | Refused;
}

/**
 * HMAC over the body alone. **It gives no replay protection**: neither an id nor a time is signed,
 * so whoever has seen one attempt can send it again, at any time and with any other headers.
 * Recognise repeats by a value inside the body or by the body's digest, never by a header.
 *
 * The header carries one signature, so that `sign` takes one secret; `verify` tries up to four.
 *
 * @throws {TypeError} An option is out of its bounds.
 */
export function bodyHmac({ header, prefix = "", ...options }: BodyHmacOptions): ReplayableScheme {
  const scheme = describedHmac({
    ...hmacPresets.body,
    ...options,
    headers: { signature: header },
    form: { kind: "single", prefix },
  });
  // The description signs neither, so that every verified attempt has neither.
  return { ...scheme, replayProtection: false } as ReplayableScheme;
}
