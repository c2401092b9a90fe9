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
export { createClient, type Client } from "./client.ts";
export type { Clock } from "./clock.ts";
export { isClientError, type CallName, type ClientError, type ClientErrorCode } from "./errors.ts";
export type { CallOptions, ClientOptions } from "./options.ts";
export type { RefundAnswer, RefundOrder, RefundStatus } from "./refund.ts";
