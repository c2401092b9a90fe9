export type {
  Customer,
  ExistingRefund,
  InvalidMember,
  SubscribeRequest,
  SubscribeResponse,
  SubscriptionDetails,
  UnsubscribeRequest,
  UnsubscribeResponse,
} from "@countersign/schemas";
export { createClient, type Client } from "./create-client.ts";
export type {
  AnswerUnreadableError,
  CallAbortedError,
  CallFacts,
  CallName,
  CallRefusedError,
  CallTimeoutError,
  ClientClosedError,
  ClientError,
  ClientErrorCode,
  ConnectionLostError,
  RequestInvalidError,
  RequestKeyUsedError,
  TokenRefusedError,
  TokenUnavailableError,
  UnreachableError,
} from "./errors.ts";
export { clientErrorCodes, isClientError } from "./errors.ts";
export type { UnreadableReason } from "./failures.ts";
export type {
  CallOptions,
  ClientCredentials,
  ClientOptions,
  CommonOptions,
  IssuedToken,
  Limits,
  OwnToken,
  RetryOptions,
  Timeouts,
  TokenProvider,
} from "./options.ts";
export type { RefundAnswer, RefundOrder, RefundStatus } from "./refund.ts";
export type { Sleep } from "./time.ts";
