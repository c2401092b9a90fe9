export type {
  Encoding,
  HmacAlgorithm,
  HmacDescription,
  SignatureForm,
  SignedPart,
} from "./hmac-description.ts";
export type {
  Attempt,
  CheckedHeaders,
  CheckedSecret,
  HeadersLike,
  HeadersObject,
  Message,
  ReadSignatures,
  RefusalFacts,
  Refused,
  SecretUse,
  SignatureErrorCode,
  SignatureScheme,
  Verification,
  Verified,
  VerifyOptions,
} from "./scheme.ts";
export { signatureErrorCodes } from "./scheme.ts";
export {
  bodyHmac,
  type BodyHmacOptions,
  describedHmac,
  hmacPresets,
  schemeOf,
  type SecretOptions,
  standardWebhooks,
  type StatedScheme,
  timestampedHmac,
  type TimestampedHmacOptions,
  xSignature,
  type XSignatureOptions,
} from "./schemes.ts";
export { type PlainSecret, sealed, type SealedSecret, type Secret } from "./secret.ts";
