import { createAnswer } from "./answer.ts";
import type { AnswersAttempts } from "./answers-attempts.ts";
import { type LambdaEvent, lambdaBody, lambdaHeaders, lambdaMethod } from "./lambda-event.ts";

export type { LambdaEvent } from "./lambda-event.ts";

/** What API Gateway (payloads 1.0 and 2.0), a function URL and a load balancer each understand. */
export interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  /** Only where the event had them: such a load balancer reads no others. */
  readonly multiValueHeaders?: Record<string, string[]>;
  readonly body: string;
  readonly isBase64Encoded: false;
}

const FIX =
  "a middleware has parsed the body before the receiver: export toLambda(receiver) without a body " +
  "parser such as middy's httpJsonBodyParser around it";

/**
 * A Lambda handler: `export const handler = toLambda(receiver)`, behind API Gateway (REST or HTTP
 * API), a function URL or an Application Load Balancer, with or without multi-value headers.
 *
 * Bodies in base64 are decoded strictly, text is taken as UTF-8; what is garbled is answered 400
 * `CS_BODY_NOT_JSON`. Other methods than POST are answered 405 with `Allow`. A body that was parsed
 * before is answered 500 `CS_BODY_CONSUMED`, and a process warning names the fix, once. The promise
 * never rejects.
 */
export function toLambda(receiver: AnswersAttempts): (event: LambdaEvent) => Promise<LambdaAnswer> {
  const answer = createAnswer(receiver, FIX);
  return async (event) => {
    const { status, headers, body } = await answer(lambdaMethod(event), {
      headers: lambdaHeaders(event),
      path: event.rawPath ?? event.path ?? "/",
      body: () => Promise.resolve(lambdaBody(event)),
    });
    const lists = Object.entries(headers).map(([name, value]): [string, string[]] => [
      name,
      [value],
    ]);
    return {
      statusCode: status,
      headers: { ...headers },
      ...(event.multiValueHeaders == null ? {} : { multiValueHeaders: Object.fromEntries(lists) }),
      body,
      isBase64Encoded: false,
    };
  };
}
