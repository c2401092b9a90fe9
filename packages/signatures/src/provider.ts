// The members of a provider's document that a scheme reads. `ProviderDocument` of `@countersign/schemas/providers`, which
// is generated from its JSON Schema, has all of them with their descriptions, and fits `Provider`.

/** A place in a request, such as `header:X-Signature`; see `parsePlace`. */
export type Place = string;

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

/** The form of a secret's text, which becomes the key. */
export type KeyForm =
  | ("text" | "text-nfkd" | "hex" | "base64" | "whsec")
  | ("spki" | "x509" | "jwk");

/** Lower-case hexadecimal, padded base64, or unpadded base64url. */
export type Encoding = "hex" | "base64" | "base64url";

export type Part =
  | ("id" | "timestamp" | "body" | "url" | "method" | "secret")
  | { readonly text: string }
  | { readonly at: Place; readonly case?: "lower" }
  | { readonly crc32: "body" }
  | {
      readonly form: "sorted";
      readonly pair: string;
      readonly join: string;
      readonly without?: readonly string[];
    }
  | { readonly ifPresent: Place; readonly parts: readonly Part[] };

export interface Carrier {
  readonly at: Place;
  readonly separator?: string;
  readonly pair?: string;
  readonly equals?: string;
  readonly prefix?: string;
  readonly algorithm?: "ed25519";
}

export interface Digest {
  readonly at: Place;
  readonly of: "body" | "url";
  readonly algorithm: "sha256";
  readonly encoding: Encoding;
}

export interface Condition {
  readonly at: Place;
  readonly equals?: string | number | boolean;
  readonly startsWith?: string;
  readonly present?: boolean;
}

/** A place whose value must match a regular expression. */
interface Pattern {
  readonly at: Place;
  readonly matches: string;
}

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
  readonly keyFrom?: Pattern;
  readonly weak?: string;
  readonly ambiguous?: string;
}

export interface Provider {
  readonly name: string;
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
    readonly unit: string;
    readonly toleranceSeconds: number;
  };
  readonly require?: readonly Condition[];
  readonly pin?: readonly Pattern[];
  readonly batch?: Place;
  readonly authentic?: readonly Place[];
}
