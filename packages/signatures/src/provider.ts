import type { ProviderDocument } from "@countersign/schemas/providers";

/** The members of a provider's document that a scheme reads. */
export type Provider = Pick<
  ProviderDocument,
  | ("name" | "title" | "secret" | "signature" | "id" | "timestamp")
  | ("require" | "pin" | "batch" | "authentic")
>;

/** A place in a request, such as `header:X-Signature`; see `parsePlace`. */
export type Place = string;

export type SignatureDocument = Provider["signature"];
export type Carrier = SignatureDocument["carrier"][number];
export type Part = NonNullable<SignatureDocument["signed"]>[number];
export type Digest = NonNullable<SignatureDocument["digests"]>[number];
export type Condition = NonNullable<Provider["require"]>[number];

export type Algorithm = SignatureDocument["algorithm"];
/** The form of a secret's text, which becomes the key. */
export type KeyForm = NonNullable<SignatureDocument["key"]>;
/** Lower-case hexadecimal, padded base64, or unpadded base64url. */
export type Encoding = NonNullable<SignatureDocument["encoding"]>;
