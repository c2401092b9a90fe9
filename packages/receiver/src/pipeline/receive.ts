import { Deadline, judgeHeaders } from "./admission.ts";
import type { Attempt, BodyResult, IncomingBody } from "./body.ts";
import { readEnvelope, validate } from "./envelope.ts";
import { handleOnce } from "./handle.ts";
import { failed, isOutcome, type Outcome, rejected } from "./outcome.ts";
import type { ReceiverParts } from "./parts.ts";
import { storeEvent } from "./store.ts";
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
  secretIndex?: number;
}

/** Decides about one attempt before its time has passed. Never rejects. */
export async function receive(attempt: Attempt, parts: ReceiverParts): Promise<Decision> {
  const deadline = new Deadline<Outcome>(parts.limits.answerMs, () => rejected("CS_BODY_TIMEOUT"));
  const passage: Passage = { deadline, body: parts.memory.open() };
  const decided = decide(attempt, passage, parts);
  const outcome = await deadline.bound(decided);
  passage.body.release();
  const later = deadline.handlerGoesOn ? decided : undefined;
  return { outcome, secretIndex: passage.secretIndex, later };
}

/** The last resort: a mistake in the flow itself must not end the process, nor acknowledge. */
async function decide(attempt: Attempt, passage: Passage, parts: ReceiverParts): Promise<Outcome> {
  try {
    return await takeSteps(attempt, passage, parts);
  } catch (error) {
    return failed("CS_RECEIVER_FAILED", error);
  }
}

/**
 * The flow of one attempt. Each step returns its value, or the outcome that ends the attempt; each sets
 * what is answered if the time passes meanwhile.
 */
async function takeSteps(
  attempt: Attempt,
  passage: Passage,
  parts: ReceiverParts,
): Promise<Outcome> {
  const { deadline } = passage;
  const refused = judgeHeaders(attempt.headers, parts);
  if (refused !== undefined) return refused;

  const body = await readBody(attempt.body, passage.body);
  if ("error" in body) return rejected(body.error);

  // Nothing of the body is trusted before this.
  const signed = await verify(attempt, body, deadline, parts);
  if (isOutcome(signed)) return signed;
  passage.secretIndex = signed.secretIndex;

  const { pointers, limits, catalogue, queue } = parts;
  const envelope = readEnvelope(body, signed, { pointers, depth: limits.depth });
  if (isOutcome(envelope)) return envelope;

  const invalid = validate(envelope, catalogue);
  if (invalid !== undefined) return invalid;

  return queue === undefined
    ? handleOnce(body, envelope, deadline, parts)
    : storeEvent(body, envelope, deadline, parts, queue);
}

async function readBody(given: Attempt["body"], body: IncomingBody): Promise<BodyResult> {
  return body.finish(typeof given === "function" ? await given(body) : given);
}
