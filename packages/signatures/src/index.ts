export { type SignatureErrorCode, signatureErrorCodes } from "./codes.ts";
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
export type { Secret } from "./secret.ts";
export { standardWebhooks, type StandardWebhooksOptions } from "./standard-webhooks.ts";
