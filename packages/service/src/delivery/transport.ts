import type { AttemptErrorCode } from "./attempt-error.ts";

export interface PostRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as it stands: these are the signed bytes. */
  readonly body: Uint8Array;
  /** Whose event it is, where the transport asks; the network does not. */
  readonly merchantId?: string;
}

/** What one POST came to. Never an error: a merchant's address may do anything. */
export type Answer =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** The `Retry-After` field as it came. */
      readonly retryAfter: string | undefined;
      /** `webhook-delivery: disable`: the receiver wants no further deliveries of its subscription. */
      readonly disables?: boolean;
      /** The answer went on where reading it ended. */
      readonly isCut?: boolean;
      /** The first 1 KiB of the body as text; what is not UTF-8 is replaced. */
      readonly excerpt: string;
    }
  | { readonly kind: "unanswered"; readonly code: AttemptErrorCode };

/** The network, as the delivery of events needs it. */
export interface Transport {
  /** Makes one POST. Never rejects, and settles by the transport's deadline. */
  post(request: PostRequest): Promise<Answer>;
  /** Ends what is still under way and lets go of all connections. */
  close(): Promise<void>;
}
