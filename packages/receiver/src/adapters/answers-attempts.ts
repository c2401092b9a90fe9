import type { Attempt } from "../receive.ts";
import type { Outcome } from "../outcome.ts";
import type { ReceiverResponse } from "../respond.ts";

/** What an adapter needs of a receiver, whatever its catalogue. */
export interface AnswersAttempts {
  answer(attempt: Attempt): Promise<{
    readonly outcome: Outcome;
    readonly response: ReceiverResponse;
  }>;
}
