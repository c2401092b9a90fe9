import type { Encoding } from "./encoding.ts";
import type { HmacAlgorithm } from "./hmac.ts";

/** A part of the signed text. */
export type SignedPart = "id" | "timestamp" | "body";

/**
 * How signatures stand in their header.
 *
 * - `single`: one signature after `prefix`, which may be empty: `sha256=…`. Signing takes one
 *   secret; verifying still tries several.
 * - `list`: several, each after `prefix`, between separators: `v1,… v1,…`. Entries that begin
 *   otherwise are passed over.
 * - `pairs`: the timestamp and one or more signatures as `name=value` between commas:
 *   `t=…,v1=…,v1=…`. Other names are passed over; the timestamp comes once.
 */
export type SignatureForm =
  | { readonly kind: "single"; readonly prefix: string }
  | { readonly kind: "list"; readonly prefix: string; readonly separator: " " | "," }
  | { readonly kind: "pairs"; readonly timestamp: string; readonly signature: string };

/**
 * An HMAC scheme as data, so that a profile can state one without code. Everything in it is JSON.
 *
 * The body is always signed. An id or a timestamp is either named as a header (or as a pair) and
 * signed, or absent: what is not signed is not reported.
 */
export interface HmacDescription {
  /** For logs: 1 to 64 characters of `[a-z0-9-]`. */
  readonly name: string;
  readonly algorithm: HmacAlgorithm;
  /** `base64` is the padded standard alphabet, `hex` is in lower case. */
  readonly encoding: Encoding;
  /** Names as they are sent; they are read in any case. */
  readonly headers: {
    readonly signature: string;
    readonly timestamp?: string;
    readonly id?: string;
  };
  readonly form: SignatureForm;
  /** The parts of the signed text in their order, each at most once, `body` exactly once. */
  readonly signed: readonly SignedPart[];
  /**
   * What stands between the parts: 1 to 4 ASCII characters that no id and no timestamp can hold,
   * so that the text splits in one way alone. It may be empty between `timestamp` and `body` and
   * where the body stands alone; an unseparated timestamp has exactly ten digits (the years 2001
   * to 2286), for the same reason.
   */
  readonly separator: string;
  /** In whole seconds, inclusive; 300 by default. Only with a timestamp. */
  readonly toleranceSeconds?: number;
  /**
   * The fewest bytes of a secret: an integer from 1 to 64, 24 by default. A lower number admits
   * keys that a stranger with one signed attempt can search for offline.
   */
  readonly minSecretBytes?: number;
}
