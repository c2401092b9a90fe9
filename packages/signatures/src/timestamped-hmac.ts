import { describedHmac } from "./described-hmac.ts";
import type { Encoding } from "./encoding.ts";
import type { HmacAlgorithm } from "./hmac.ts";
import { hmacPresets } from "./hmac-presets.ts";
import type { SignatureScheme } from "./scheme.ts";

/** Options of `timestampedHmac`. */
export interface TimestampedHmacOptions {
  /** The header's name. */
  readonly header: string;
  /** `sha256` by default. */
  readonly algorithm?: HmacAlgorithm;
  /** `hex` (lower case) by default. */
  readonly encoding?: Encoding;
  /** The name before the timestamp, `t` by default. */
  readonly timestampName?: string;
  /** The name before each signature, `v1` by default. */
  readonly signatureName?: string;
  /** In whole seconds, inclusive, either way; 300 by default. */
  readonly toleranceSeconds?: number;
  /** The fewest bytes of a secret: an integer from 1 to 64, 24 by default; see `HmacDescription`. */
  readonly minSecretBytes?: number;
}

/**
 * `t=…,v1=…` in one header, HMAC over `timestamp.body`. Several signatures may stand in it, one
 * for each secret; other names are passed over.
 *
 * It signs no id: the verified attempt has a `timestamp`, and its `id` is `undefined`.
 *
 * @throws {TypeError} An option is out of its bounds.
 */
export function timestampedHmac({
  header,
  timestampName = "t",
  signatureName = "v1",
  ...options
}: TimestampedHmacOptions): SignatureScheme {
  return describedHmac({
    ...hmacPresets.timestamped,
    ...options,
    headers: { signature: header },
    form: { kind: "pairs", timestamp: timestampName, signature: signatureName },
  });
}
