export type { Carrier, Condition, Part, Place, Provider, SignatureDocument } from "./provider.ts";
export type {
  Attempt,
  CheckedHeaders,
  CheckedSecret,
  HeadersLike,
  HeadersObject,
  Message,
  RefusalFacts,
  Refused,
  SecretUse,
  SignatureErrorCode,
  SignatureScheme,
  Signed,
  Verification,
  Verified,
  VerifyOptions,
} from "./scheme.ts";
export { signatureErrorCodes } from "./scheme.ts";
export { schemeOf } from "./scheme-of.ts";
export type { Secret } from "./secret.ts";
export { standardWebhooks } from "./standard-webhooks.ts";
