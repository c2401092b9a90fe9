import type { HttpAnswer, HttpCall, Send } from "../http-send.ts";
import type { PactInteraction } from "./pact-file.ts";

/** The verified side of a pact: its name in pacts, its transport and its states. */
export interface PactProvider {
  /** The provider's name in the pacts; pacts of other providers are left out. */
  readonly name: string;
  /** Sends a call to the provider; absent if its pacts have only messages. */
  readonly send?: Send;
  /** Names of its states, if they are known before the verification. */
  readonly states?: readonly string[];
  /**
   * Brings the provider into a state.
   *
   * @returns Values for the pact's expressions, such as `paymentId` for `${paymentId}`.
   * @throws {Error} It could not: the interaction fails with the message.
   */
  readonly enter: (
    state: string,
    params: Readonly<Record<string, unknown>>,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /**
   * The message that the provider sends in the present state.
   *
   * @throws {Error} It sent none.
   */
  readonly message?: (asked: AskedMessage) => Promise<PactMessage>;
  /**
   * Completes a pact's call for the provider: inserts a token, signs the bytes. Default: the
   * call as it is.
   */
  readonly prepare?: (
    call: HttpCall,
    interaction: PactInteraction | undefined,
  ) => Promise<HttpCall>;
  /** The faults of a response that a pact cannot express, a line each: closed schemas, bounds, signatures. */
  readonly judge?: (call: HttpCall, answer: HttpAnswer) => readonly string[];
  /** As `judge`, of a message. */
  readonly judgeMessage?: (message: PactMessage) => readonly string[];
}

export interface AskedMessage {
  readonly description: string;
  readonly states: readonly string[];
}

export interface PactMessage {
  readonly body: Uint8Array;
  /** Its headers; `contentType` is the media type. */
  readonly metadata: Readonly<Record<string, string>>;
}
