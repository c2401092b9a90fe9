import { Deadline } from "./admission.ts";
import type { Attempt, IncomingBody } from "./body.ts";
import { ask, findKey } from "./credentials.ts";
import { readEvents, Reading } from "./read-events.ts";
import { answerHandshake, type HandshakePlan } from "./handshake.ts";
import { judgeHeaders } from "./headers.ts";
import {
  failed,
  isOutcome,
  type Outcome,
  type OutcomeFacts,
  type ReceiverResponse,
  rejected,
  type RejectionFacts,
  type Signer,
} from "./outcome.ts";
import type { ReceiverParts } from "./parts.ts";
import { recordBatch, recordOnce } from "./record.ts";
import { explained, signedUrl, verify } from "./verify.ts";

/** One attempt on its way. */
interface Passage {
  readonly deadline: Deadline<Outcome>;
  readonly body: IncomingBody;
  signer: Signer | undefined;
  /** Flows whose handlers go on after the answer. */
  readonly later: Promise<Outcome>[];
}

/** The outcome of an attempt and its response; `receiver.receive` has no response. */
export interface Answered {
  readonly outcome: Outcome;
  readonly response?: ReceiverResponse;
}

/** Decides about one attempt before its time has passed, and reports what is answered. Never rejects. */
export async function receive<Answer extends Answered>(
  attempt: Attempt,
  answerWith: (outcome: Outcome) => Answer,
  parts: ReceiverParts,
): Promise<Answer> {
  const { elapsed, running, report } = parts;
  const startedAt = elapsed();
  running.enter();
  const body = parts.memory.open();
  const deadline = new Deadline<Outcome>(parts.limits.answerMs, bodyLate, body);
  const passage: Passage = { deadline, body, signer: undefined, later: [] };
  const outcome = await deadline.bound(decide(attempt, passage, parts), passage.later);
  body.release();

  const answer = answerWith(outcome);
  const status = answer.response && { status: answer.response.status };
  const factsNow = (): OutcomeFacts => ({ durationMs: elapsed() - startedAt, ...passage.signer });
  const facts = factsNow();
  if (outcome.kind === "batch") for (const own of outcome.outcomes) report(own, facts);
  report(answer.outcome, { ...facts, ...status });
  if (passage.later.length === 0) running.leave();
  else
    void Promise.all(
      passage.later.map(async (flow) => report(await flow, { ...factsNow(), late: true })),
    ).finally(() => running.leave());
  return answer;
}

/** The facts about a GET that no handshake matches: the request probably has another token there than `verifyToken`. */
function getFacts(handshakes: readonly HandshakePlan[]): RejectionFacts {
  const { token } = handshakes.find(({ method }) => method === "GET") ?? {};
  return { method: "GET", ...(token && { place: token.text }) };
}

const SECRETS = { option: "secrets", code: "CS_SECRETS_UNAVAILABLE" } as const;

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
    if ("error" in body) return rejected(body.error, body.fix ? { facts: { fix: body.fix } } : {});
    const refused = passage.body.finish(body);
    if (refused !== undefined) return rejected(refused);

    const { receivedAt = parts.now() } = attempt;
    if (!Number.isFinite(receivedAt))
      throw new TypeError('"receivedAt" must be milliseconds since 1970');
    const { checked, format, method } = headers;
    const source = { headers: attempt.headers, body, url: signedUrl(attempt.url, parts) };
    const reading = new Reading(source, { format, depth: parts.limits.depth });
    const { handshakes, verifyToken } = parts;
    const unsigned = answerHandshake(handshakes, reading.places, { method, verifyToken });
    if (unsigned !== undefined) return { kind: "handshake", response: unsigned };
    if (method === "GET") return rejected("CS_METHOD_NOT_ALLOWED", { facts: getFacts(handshakes) });

    const request = { ...source, method, checked, places: reading.places };
    const { keys, credentials: found } = parts;
    const credentials =
      typeof found === "function" ? await ask(SECRETS, () => found(attempt), deadline) : found;
    if (isOutcome(credentials)) return credentials;
    const key = keys && (await findKey(keys, request, deadline, parts.scheme));
    if (key !== undefined && isOutcome(key)) return key;
    // Nothing of the body is trusted before this.
    const means = { credentials, key: key?.text, now: receivedAt };
    const signed = verify(request, means, parts);
    if (isOutcome(signed)) return await explained(signed, request, means, parts);
    if (key !== undefined) keys?.prove(key.name);
    passage.signer = signed.signer;
    const response = answerHandshake(handshakes, reading.places, signed);
    if (response !== undefined) return { kind: "handshake", response };

    const events = readEvents(reading, signed.tenant, parts);
    if (isOutcome(events)) return events;
    const [event] = events;
    if (parts.batch === undefined && event !== undefined)
      return await recordOnce(event, deadline, parts);
    return await recordBatch(events, passage, parts);
  } catch (error) {
    // The last resort: a mistake in the flow itself must not end the process, nor acknowledge.
    return failed("CS_RECEIVER_FAILED", error);
  }
}
