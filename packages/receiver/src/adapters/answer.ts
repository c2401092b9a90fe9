import type { Attempt } from "../receive.ts";
import { BODY_CONSUMED_FIX, type ReceiverResponse } from "../respond.ts";
import type { AnswersAttempts } from "./answers-attempts.ts";
import { sendable } from "./sendable.ts";

/** Answers one request: its method, and the attempt that it is if that is POST. Never rejects. */
export type Answer = (method: string | undefined, attempt: Attempt) => Promise<ReceiverResponse>;

/**
 * What all adapters do alike: other methods than POST are 405 (RFC 9110 section 15.5.6); a body that
 * was read before is answered, and warned of once, with `fix`, the line to change in this framework;
 * an answer that HTTP cannot carry becomes a bare 503.
 */
export function createAnswer(receiver: AnswersAttempts, fix: string): Answer {
  const warned = new Set<string>();
  const warnOnce = (code: string, message: string): void => {
    if (warned.has(code)) return;
    warned.add(code);
    warn(code, message);
  };
  return async (method, attempt) => {
    if (method !== "POST") return { status: 405, headers: { allow: "POST" }, body: "" };
    const { outcome, response } = await receiver.answer(attempt);
    const answer = sendable(response);
    if (answer === undefined) {
      warnOnce("CS_RECEIVER_FAILED", '"respond" returned an answer that HTTP cannot carry');
      return { status: 503, headers: {}, body: "" };
    }
    if (outcome.kind !== "rejected" || outcome.code !== "CS_BODY_CONSUMED") return answer;
    warnOnce(outcome.code, fix);
    const [general, own] = [JSON.stringify(BODY_CONSUMED_FIX), JSON.stringify(fix)];
    return { ...answer, body: answer.body.replace(general, () => own) };
  };
}

/** A process warning where the runtime has them; an import of `node:process` would shut the others out. */
function warn(code: string, message: string): void {
  // Not every runtime of the Web has what Node's types promise.
  const { process } = globalThis as {
    process?: { emitWarning?(message: string, options: { code: string }): void };
  };
  process?.emitWarning?.(message, { code });
}
