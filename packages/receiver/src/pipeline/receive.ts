import { Deadline, judgeHeaders } from "./admission.ts";
import { handleBatch } from "./batch.ts";
import type { Attempt, IncomingBody } from "./body.ts";
import { readEvents, Reading } from "./read-events.ts";
import { answerHandshake, type HandshakePlan } from "./handshake.ts";
import { failed, isOutcome, type Outcome, rejected, type RejectionFacts } from "./outcome.ts";
import type { ReceiverParts } from "./parts.ts";
import { recordOnce } from "./record.ts";
import { type Signer, signedUrl, verify } from "./verify.ts";

/** The receiver's decision about one attempt, within `limits.answerMs`. */
export interface Decision {
  readonly outcome: Outcome;
  readonly signer: Signer | undefined;
  /** Resolve with the outcomes of handlers whose attempt had to be answered before. */
  readonly later: readonly Promise<Outcome>[];
}

/** One attempt on its way. */
interface Passage {
  readonly deadline: Deadline<Outcome>;
  readonly body: IncomingBody;
  signer: Signer | undefined;
  later: readonly Promise<Outcome>[];
}

/** Decides about one attempt before its time has passed. Never rejects. */
export function receive(attempt: Attempt, parts: ReceiverParts): Promise<Decision> {
  const body = parts.memory.open();
  const deadline = new Deadline<Outcome>(parts.limits.answerMs, bodyLate, body);
  const passage: Passage = { deadline, body, signer: undefined, later: [] };
  const decided = decide(attempt, passage, parts);
  return deadline.bound(decided).then((outcome) => {
    body.release();
    const { signer, later } = passage;
    return { outcome, signer, later: deadline.handlerGoesOn ? [decided] : later };
  });
}

/** Of a GET that is no handshake: most likely the option `verifyToken` is not what the request has in this place. */
function getFacts(handshakes: readonly HandshakePlan[]): RejectionFacts {
  const { token } = handshakes.find(({ method }) => method === "GET") ?? {};
  return { method: "GET", ...(token && { place: token.text }) };
}

const bodyLate = (): Outcome => rejected("CS_BODY_TIMEOUT");

/**
 * The flow of one attempt. Each step returns its value, or the outcome that ends the attempt; what waits
 * runs within `deadline.during`, with the answer if the time passes meanwhile. Never rejects.
 */
async function decide(attempt: Attempt, passage: Passage, parts: ReceiverParts): Promise<Outcome> {
  try {
    const { deadline } = passage;
    const headers = judgeHeaders(attempt, parts);
    if (isOutcome(headers)) return headers;

    const given = attempt.body;
    const body = typeof given === "function" ? await given(passage.body) : given;
    if ("error" in body) return rejected(body.error);
    const refused = passage.body.finish(body);
    if (refused !== undefined) return rejected(refused);

    const { checked, format, method } = headers;
    const source = { headers: attempt.headers, body, url: signedUrl(attempt.url, parts) };
    const reading = new Reading(source, { format, depth: parts.limits.depth });
    const { handshakes, verifyToken } = parts;
    const unsigned = answerHandshake(handshakes, reading.places, { method, verifyToken });
    if (unsigned !== undefined) return { kind: "handshake", response: unsigned };
    if (method === "GET") return rejected("CS_METHOD_NOT_ALLOWED", { facts: getFacts(handshakes) });

    // Nothing of the body is trusted before this.
    const signed = await verify(attempt, { reading, checked }, deadline, parts);
    if (isOutcome(signed)) return signed;
    passage.signer = signed.signer;
    const response = answerHandshake(handshakes, reading.places, signed);
    if (response !== undefined) return { kind: "handshake", response };

    const events = readEvents(reading, signed.tenant, parts);
    if (isOutcome(events)) return events;
    const [event] = events;
    if (parts.batch === undefined && event !== undefined)
      return await recordOnce(event, deadline, parts);
    const batch = handleBatch(events, deadline, parts);
    passage.later = batch.later;
    return await batch.outcome;
  } catch (error) {
    // The last resort: a mistake in the flow itself must not end the process, nor acknowledge.
    return failed("CS_RECEIVER_FAILED", error);
  }
}
