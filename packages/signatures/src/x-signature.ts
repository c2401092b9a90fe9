import { describedHmac } from "./described-hmac.ts";
import { hmacPresets } from "./hmac-presets.ts";
import type { SignatureScheme } from "./scheme.ts";

/** Options of `xSignature`. */
export interface XSignatureOptions {
  /** In whole seconds, inclusive, either way; 300 by default. */
  readonly toleranceSeconds?: number;
  /** The fewest bytes of a secret: an integer from 1 to 64, 24 by default; see `HmacDescription`. */
  readonly minSecretBytes?: number;
}

/**
 * HMAC-SHA512 in base64 over `id.timestamp.body`, in the headers `X-Signature`,
 * `X-Signature-Timestamp` and `X-Signature-UniqueId`.
 *
 * The header carries one signature, so that `sign` takes one secret; `verify` tries up to four.
 *
 * @throws {TypeError} An option is out of its bounds.
 */
export function xSignature(options: XSignatureOptions = {}): SignatureScheme {
  return describedHmac({ ...hmacPresets.xSignature, ...options });
}
