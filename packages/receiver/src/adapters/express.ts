import { type AnswersAttempts, requireReceiver } from "./answer.ts";
import { answerNode, type NodeRequest, type NodeResponse } from "./node-http.ts";

/** The part of Express's request, 4 or 5, that the adapter needs. */
export interface ExpressRequest extends NodeRequest {
  readonly originalUrl: string;
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

/** The part of Express's response, 4 or 5, that the adapter needs. */
export type ExpressResponse = NodeResponse;

const FIX =
  "a parser such as express.json() has read the body before the receiver: " +
  "move app.post(path, toExpress(receiver)) above app.use(express.json())";
/** NestJS, which needs `Reflect.getMetadata`, has its own body parser. */
const NEST_FIX = `${FIX}; in NestJS, create the app with NestFactory.create(AppModule, { rawBody: true })`;

/**
 * A route handler for Express 4 and 5: `app.post('/webhooks', toExpress(receiver))`.
 *
 * It reads the raw body itself, so register it before any parser. Bytes that a parser kept
 * (`express.raw()`, or a `rawBody` of a `verify` hook) are used; a parsed body is answered 500
 * `CS_BODY_CONSUMED` with the line to change. The promise never rejects.
 *
 * @throws {TypeError} `receiver` is not a receiver.
 */
export function toExpress(
  receiver: AnswersAttempts,
): (request: ExpressRequest, response: ExpressResponse) => Promise<void> {
  requireReceiver("toExpress", receiver);
  return (request, response) => {
    const { originalUrl: url, rawBody, body } = request;
    const fix = "getMetadata" in Reflect ? NEST_FIX : FIX;
    return answerNode(receiver, { request, response, url, kept: [rawBody, body], fix });
  };
}
