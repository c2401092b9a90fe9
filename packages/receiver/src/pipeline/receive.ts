import { Deadline, judgeHeaders } from "./admission.ts";
import type { Attempt, IncomingBody } from "./body.ts";
import { readEnvelope, validate } from "./envelope.ts";
import { failed, isOutcome, type Outcome, rejected } from "./outcome.ts";
import type { ReceiverParts } from "./parts.ts";
import { handleOnce, storeEvent } from "./record.ts";
import { verify } from "./verify.ts";

/** The receiver's decision about one attempt, within `limits.answerMs`. */
export interface Decision {
  readonly outcome: Outcome;
  /** Index of the secret that signed the attempt. */
  readonly secretIndex: number | undefined;
  /** Resolves with the handler's own outcome, if the attempt had to be answered before it. */
  readonly later: Promise<Outcome> | undefined;
}

/** One attempt on its way. */
interface Passage {
  readonly deadline: Deadline<Outcome>;
  readonly body: IncomingBody;
  secretIndex: number | undefined;
}

/** Decides about one attempt before its time has passed. Never rejects. */
export async function receive(attempt: Attempt, parts: ReceiverParts): Promise<Decision> {
  const { limits, memory } = parts;
  const body = memory.open();
  const deadline = new Deadline<Outcome>(limits.answerMs, bodyLate, body);
  const passage: Passage = { deadline, body, secretIndex: undefined };
  const decided = decide(attempt, passage, parts);
  const outcome = await deadline.bound(decided);
  body.release();
  const later = deadline.handlerGoesOn ? decided : undefined;
  return { outcome, secretIndex: passage.secretIndex, later };
}

const bodyLate = (): Outcome => rejected("CS_BODY_TIMEOUT");

/**
 * The flow of one attempt. Each step returns its value, or the outcome that ends the attempt; what waits
 * runs within `deadline.during`, with the answer if the time passes meanwhile. Never rejects.
 */
async function decide(attempt: Attempt, passage: Passage, parts: ReceiverParts): Promise<Outcome> {
  try {
    const { deadline } = passage;
    const headers = judgeHeaders(attempt.headers, parts);
    if (isOutcome(headers)) return headers;

    const given = attempt.body;
    const body = typeof given === "function" ? await given(passage.body) : given;
    if ("error" in body) return rejected(body.error);
    const refused = passage.body.finish(body);
    if (refused !== undefined) return rejected(refused);

    // Nothing of the body is trusted before this.
    const signed = await verify(attempt, { body, checked: headers.checked }, deadline, parts);
    if (isOutcome(signed)) return signed;
    passage.secretIndex = signed.secretIndex;

    const envelope = readEnvelope(body, signed, parts);
    if (isOutcome(envelope)) return envelope;

    const invalid = validate(envelope, parts.catalogue);
    if (invalid !== undefined) return invalid;

    return await (parts.queue === undefined
      ? handleOnce(body, envelope, deadline, parts)
      : storeEvent(body, envelope, deadline, parts, parts.queue));
  } catch (error) {
    // The last resort: a mistake in the flow itself must not end the process, nor acknowledge.
    return failed("CS_RECEIVER_FAILED", error);
  }
}
