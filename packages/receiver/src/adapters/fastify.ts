import { type AnswersAttempts, requireReceiver } from "./answer.ts";
import { answerNode, type NodeRequest, type NodeResponse } from "./node-http.ts";

/** The part of Fastify's request that the adapter needs. */
export interface FastifyRequestLike {
  readonly raw: NodeRequest;
  readonly originalUrl: string;
  readonly body?: unknown;
}

/** The part of Fastify's reply that the adapter needs. */
export interface FastifyReplyLike {
  readonly raw: NodeResponse;
  hijack(): unknown;
}

type Answers = (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<void>;

const FIX =
  "something has read the body before the receiver: give fastify.post(path, toFastify(receiver)) the " +
  "whole options, preParsing included, in a scope without a preParsing hook that reads the body";

/**
 * A route's options for Fastify 5: `fastify.post('/webhooks', toFastify(receiver))`.
 *
 * Fastify parses a body before its handler runs, so the attempt is answered in `preParsing`, on the
 * raw response: no content-type parser sees it, and `onSend` hooks do not run. Fastify requires
 * `handler`; without `preParsing` it uses bytes that a parser kept, or answers 500 `CS_BODY_CONSUMED`
 * with the line to change. The promises never reject.
 *
 * @throws {TypeError} `receiver` is not a receiver.
 */
export function toFastify(receiver: AnswersAttempts): {
  readonly preParsing: Answers;
  readonly handler: Answers;
} {
  requireReceiver("toFastify", receiver);
  const answers: Answers = (request: FastifyRequestLike & { rawBody?: unknown }, reply) => {
    const { raw, originalUrl: url, rawBody, body } = request;
    // Now: Fastify would go on to its parser.
    reply.hijack();
    const kept = [rawBody, body];
    return answerNode(receiver, { request: raw, response: reply.raw, url, kept, fix: FIX });
  };
  return { preParsing: answers, handler: answers };
}
