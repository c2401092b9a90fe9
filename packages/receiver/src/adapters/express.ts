import { BODY_CONSUMED_FIX } from "../pipeline/respond.ts";
import { type AnswersAttempts, createAnswer } from "./answer.ts";
import { nodeAttempt, type NodeRequest, type NodeResponse, sendNode } from "./node-http.ts";

/** The part of Express's request, 4 or 5, that the adapter needs. */
export interface ExpressRequest extends NodeRequest {
  readonly originalUrl: string;
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

/** The part of Express's response, 4 or 5, that the adapter needs. */
export type ExpressResponse = NodeResponse;

/** NestJS, which needs `Reflect.getMetadata`, has its own body parser: the fix is an option, not a line to move. */
const fix = (): string =>
  "getMetadata" in Reflect
    ? "a parser has read the body before the receiver: in NestJS, create the app with " +
      "NestFactory.create(AppModule, { rawBody: true }); in Express, move app.post(path, " +
      "toExpress(receiver)) above app.use(express.json())"
    : BODY_CONSUMED_FIX;

/**
 * A route handler for Express 4 and 5: `app.post('/webhooks', toExpress(receiver))`.
 *
 * It reads the raw body itself, so register it before any parser. Bytes that a parser kept
 * (`express.raw()`, or a `rawBody` of a `verify` hook) are used; a parsed body is answered 500
 * `CS_BODY_CONSUMED`, with a process warning. The promise never rejects.
 *
 * @throws {TypeError} `receiver` is not a receiver.
 */
export function toExpress(
  receiver: AnswersAttempts,
): (request: ExpressRequest, response: ExpressResponse) => Promise<void> {
  const answer = createAnswer({ name: "toExpress", receiver }, fix);
  return async (request, response) => {
    const { originalUrl: url, rawBody, body } = request;
    const attempt = nodeAttempt(request, response, { url, kept: [rawBody, body] });
    sendNode(request, response, await answer(attempt));
  };
}
