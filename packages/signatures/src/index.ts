export {
  bodyHmac,
  type BodyHmacOptions,
  type ReplayableScheme,
  type ReplayableVerified,
} from "./body-hmac.ts";
export { type SignatureErrorCode, signatureErrorCodes } from "./codes.ts";
export { describedHmac } from "./described-hmac.ts";
export type { Encoding } from "./encoding.ts";
export type { HmacAlgorithm } from "./hmac.ts";
export type { HmacDescription, SignatureForm, SignedPart } from "./hmac-description.ts";
export { hmacPresets } from "./hmac-presets.ts";
export type {
  Attempt,
  HeadersLike,
  HeadersObject,
  Message,
  Refused,
  SecretUse,
  SignatureScheme,
  Verification,
  Verified,
  VerifyOptions,
} from "./scheme.ts";
export { sealed, type SealedSecret } from "./sealed-secret.ts";
export type { PlainSecret, Secret } from "./secret.ts";
export { schemeOf, type StatedScheme } from "./stated-scheme.ts";
export { standardWebhooks, type StandardWebhooksOptions } from "./standard-webhooks.ts";
export { timestampedHmac, type TimestampedHmacOptions } from "./timestamped-hmac.ts";
export { xSignature, type XSignatureOptions } from "./x-signature.ts";
