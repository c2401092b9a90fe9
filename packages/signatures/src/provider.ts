/** A place in a request, such as `header:X-Signature`; see `parsePlace`. */
export type Place = string;

/** Algorithms of signatures. `sha1` and `sha256` hash the part "secret" with the other parts, without HMAC. */
export type Algorithm =
  | "hmac-sha1"
  | "hmac-sha256"
  | "hmac-sha384"
  | "hmac-sha512"
  | "sha1"
  | "sha256"
  | "ed25519"
  | "ecdsa-p256-sha256"
  | "rsa-sha256"
  | "jwt-hs256"
  | "jwt-es256";

/** How a secret's text becomes the key. */
export type KeyForm =
  | "text"
  | "text-nfkd"
  | "text-sha1"
  | "hex"
  | "base64"
  | "whsec"
  | "spki"
  | "x509"
  | "jwk";

/** The encoding of bytes: lower-case hexadecimal, padded base64, or unpadded base64url. */
export type Encoding = "hex" | "base64" | "base64url";

/** Seconds, milliseconds or RFC 3339; several are told apart by their form. */
export type Unit = "s" | "ms" | "iso" | "s|iso" | "ms|iso" | "s|ms" | "s|ms|iso";

/** A part of the signed text. */
export type Part =
  | "id"
  | "timestamp"
  | "body"
  | "url"
  | "method"
  | "secret"
  | { readonly text: string }
  | { readonly at: Place }
  | { readonly crc32: "body" }
  | {
      readonly form: "sorted";
      readonly pair: string;
      readonly join: string;
      readonly without?: readonly string[];
    }
  | { readonly ifPresent: Place; readonly parts: readonly Part[] };

/** A place with one signature, or with several between separators. */
export interface Carrier {
  readonly at: Place;
  readonly separator?: string;
  readonly pair?: string;
  readonly equals?: string;
  readonly prefix?: string;
  readonly algorithm?: "ed25519";
}

/** A value that must be the digest of the body or of the URL. */
export interface Digest {
  readonly at: Place;
  readonly of: "body" | "url";
  readonly algorithm: "sha256";
  readonly encoding: Encoding;
}

/** True if the value at a place equals another, begins with a text, or is present (or absent). */
export interface Condition {
  readonly at: Place;
  readonly equals?: string | number | boolean;
  readonly startsWith?: string;
  readonly present?: boolean;
}

/** How a sender signs. */
export interface SignatureDocument {
  readonly algorithm: Algorithm;
  readonly key?: KeyForm;
  readonly encoding?: Encoding;
  readonly carrier: readonly Carrier[];
  readonly signed?: readonly Part[];
  readonly join?: string;
  readonly per?: "item";
  readonly digests?: readonly Digest[];
  readonly claims?: Readonly<Record<string, string | { readonly at: "url" }>>;
  readonly keyFrom?: { readonly at: Place; readonly matches: string };
  readonly weak?: string;
  readonly ambiguous?: string;
}

/**
 * The members of a provider's document that a scheme reads. The whole document, with every member's description, is
 * `ProviderDocument` of `@countersign/schemas/providers`.
 */
export interface Provider {
  /** 1 to 64 characters of `[a-z0-9-]`. */
  readonly name: string;
  /** The provider's own name, for messages. */
  readonly title: string;
  readonly secret?: {
    readonly where: string;
    readonly prefix?: string | readonly string[];
    readonly minBytes?: number;
  };
  readonly signature: SignatureDocument;
  readonly id?: { readonly at: Place };
  readonly timestamp?: {
    readonly at: Place;
    readonly unit: Unit;
    readonly toleranceSeconds: number;
  };
  readonly require?: readonly Condition[];
  readonly pin?: readonly { readonly at: Place; readonly matches: string }[];
  readonly batch?: Place;
  readonly authentic?: readonly Place[];
}
