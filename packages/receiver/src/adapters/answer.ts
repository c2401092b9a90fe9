import { MistakeError } from "../mistake.ts";
import type { Attempt } from "../pipeline/body.ts";
import { warnProcess } from "../pipeline/failure-log.ts";
import type { Outcome, ReceiverResponse } from "../pipeline/outcome.ts";
import { BODY_CONSUMED_FIX } from "../pipeline/respond.ts";

/** The part of a receiver that an adapter needs, whatever its catalogue. */
export interface AnswersAttempts {
  answer(attempt: Attempt): Promise<{
    readonly outcome: Outcome;
    readonly response: ReceiverResponse;
  }>;
}

/** Answers one request. Never rejects. */
export type Answer = (attempt: Attempt) => Promise<ReceiverResponse>;

/**
 * Returns the behaviour that all adapters share: a body that was read before is answered with `fix`, the line to change
 * in this framework, and one process warning.
 *
 * @throws {TypeError} `receiver` is not a receiver.
 */
export function createAnswer(
  { name, receiver }: { readonly name: string; readonly receiver: AnswersAttempts },
  fix: () => string,
): Answer {
  // Plain JavaScript may pass anything.
  const given: Partial<AnswersAttempts> | null | undefined = receiver;
  if (typeof given?.answer !== "function")
    throw new MistakeError(
      `${name}: expected a receiver of createReceiver(), got ${kindOf(receiver)}`,
    );
  let warned = false;
  return async (attempt) => {
    const { outcome, response } = await receiver.answer(attempt);
    if (outcome.kind !== "rejected" || outcome.code !== "CS_BODY_CONSUMED") return response;
    const own = fix();
    if (!warned) warnProcess(outcome.code, own);
    warned = true;
    const [general, replaced] = [JSON.stringify(BODY_CONSUMED_FIX), JSON.stringify(own)];
    return { ...response, body: response.body.replace(general, () => replaced) };
  };
}

const kindOf = (value: unknown): string => (value === null ? "null" : typeof value);
