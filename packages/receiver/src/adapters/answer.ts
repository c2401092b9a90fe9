import { MistakeError } from "../mistake.ts";
import type { Attempt } from "../pipeline/body.ts";
import type { Outcome, ReceiverResponse } from "../pipeline/outcome.ts";

/** The part of a receiver that an adapter needs, whatever its catalogue. */
export interface AnswersAttempts {
  answer(attempt: Attempt): Promise<{
    readonly outcome: Outcome;
    readonly response: ReceiverResponse;
  }>;
}

/** @throws {MistakeError} Plain JavaScript has passed something else. */
export function requireReceiver(adapter: string, receiver: AnswersAttempts | null): void {
  if (typeof receiver?.answer === "function") return;
  const kind = receiver === null ? "null" : typeof receiver;
  throw new MistakeError(`${adapter}: expected a receiver of createReceiver(), got ${kind}`);
}
