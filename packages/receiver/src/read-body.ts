import type { RejectionCode } from "./outcome.ts";

/**
 * Why a body could not be had. `CS_BODY_NOT_JSON`: what carries it is itself garbled, so no bytes can
 * be told. `CS_REQUEST_UNREADABLE`: the runtime makes no request of what was sent.
 */
export type BodyErrorCode = Extract<
  RejectionCode,
  | "CS_BODY_CONSUMED"
  | "CS_BODY_TOO_LARGE"
  | "CS_BODY_TIMEOUT"
  | "CS_BODY_ABORTED"
  | "CS_BODY_NOT_JSON"
  | "CS_REQUEST_UNREADABLE"
>;

export interface BodyLimits {
  /** The largest body, in bytes. */
  readonly bodyBytes: number;
  /** The longest time from the first look to the last byte, in milliseconds. */
  readonly bodyMs: number;
}

/** A body's bytes, or why there are none. */
export type BodyResult = Uint8Array | { readonly error: BodyErrorCode };

/** Reads a body within the limits, when the receiver has decided that it wants it. Never rejects. */
export type BodyReader = (limits: BodyLimits) => Promise<BodyResult>;
