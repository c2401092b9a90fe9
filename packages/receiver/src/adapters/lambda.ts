import type { BodyResult } from "../pipeline/body.ts";
import { type AnswersAttempts, requireReceiver } from "./answer.ts";

type Fields<Value> = Readonly<Record<string, Value | null | undefined>> | null;

/** The part of an event of API Gateway 1.0 or 2.0, a function URL or a load balancer that the adapter needs. */
export interface LambdaEvent {
  /** Payload 1.0 and load balancer. */
  readonly httpMethod?: string | null;
  readonly path?: string | null;
  /** Payload 2.0 and function URL. */
  readonly rawPath?: string | null;
  readonly rawQueryString?: string | null;
  /** Payload 1.0 decodes these, a load balancer does not. */
  readonly queryStringParameters?: Fields<string>;
  readonly multiValueQueryStringParameters?: Fields<readonly string[]>;
  readonly requestContext?: object | null;
  readonly headers?: Fields<string>;
  readonly multiValueHeaders?: Fields<readonly string[]>;
  /** Text, or nothing. Anything else was parsed by a middleware. */
  readonly body?: unknown;
  readonly isBase64Encoded?: boolean | null;
}

/** An answer that API Gateway (payloads 1.0 and 2.0), a function URL and a load balancer each understand. */
export interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  /** Present if the event had such headers: that load balancer reads no others. */
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
 * Bodies in base64 are decoded strictly, text is taken as UTF-8. A body that was parsed before is
 * answered 500 `CS_BODY_CONSUMED` with the line to change. The promise never rejects.
 *
 * @throws {TypeError} `receiver` is not a receiver.
 */
export function toLambda(receiver: AnswersAttempts): (event: LambdaEvent) => Promise<LambdaAnswer> {
  requireReceiver("toLambda", receiver);
  return async (given) => {
    // A test in the console may send nothing.
    const event: LambdaEvent = given ?? {};
    const { response } = await receiver.answer({
      method: methodOf(event) ?? "",
      url: urlOf(event),
      headers: headersOf(event),
      body: () => bodyOf(event),
    });
    const { status: statusCode, headers, body } = response;
    const answer = { statusCode, headers: { ...headers }, body, isBase64Encoded: false } as const;
    if (event.multiValueHeaders == null) return answer;
    const lists = Object.entries(headers).map(([name, value]) => [name, [value]]);
    return { ...answer, multiValueHeaders: Object.fromEntries(lists) as Record<string, string[]> };
  };
}

/** Returns the request's method, if the event is an HTTP request. */
function methodOf({ httpMethod, requestContext }: LambdaEvent): string | undefined {
  // Payload 2.0 and function URL have it in the context.
  const context: { readonly http?: { readonly method?: string } } = requestContext ?? {};
  return httpMethod ?? context.http?.method;
}

/** Returns the path and the query as they were sent. */
function urlOf(event: LambdaEvent): string {
  const path = event.rawPath ?? event.path ?? "/";
  const { requestContext, multiValueQueryStringParameters, queryStringParameters } = event;
  const isRaw = "elb" in (requestContext ?? {});
  const encode = (text: string): string => (isRaw ? text : encodeURIComponent(text));
  const given = multiValueQueryStringParameters ?? queryStringParameters ?? {};
  const pairs = Object.entries(given).flatMap(([name, values]) =>
    [values ?? []].flat().map((value: string) => `${encode(name)}=${encode(value)}`),
  );
  const query = event.rawQueryString ?? pairs.join("&");
  return query === "" ? path : `${path}?${query}`;
}

type Headers = Record<string, string | readonly string[] | undefined>;

/** Returns the headers, with a list for each header that the event shows more than once. */
function headersOf(event: LambdaEvent): Headers {
  // If both exist, `headers` has only one value of each, which hides a duplicate.
  const given: Readonly<Record<string, string | readonly string[] | null | undefined>> =
    event.multiValueHeaders ?? event.headers ?? {};
  // The object has no prototype, so that a header named "__proto__" is a header.
  const headers = Object.create(null) as Headers;
  for (const [name, values] of Object.entries(given)) {
    if (values === null || values === undefined) continue;
    headers[name] = typeof values === "object" && values.length === 1 ? values[0] : values;
  }
  return headers;
}

/** Returns the bytes that were sent. Lambda bounds an event; the receiver's limit applies to these bytes. */
function bodyOf({ body, isBase64Encoded }: LambdaEvent): BodyResult {
  if (body === undefined || body === null) return new Uint8Array(0);
  if (typeof body !== "string") return { error: "CS_BODY_CONSUMED", fix: FIX };
  if (isBase64Encoded === true) return base64(body) ?? { error: "CS_BODY_NOT_JSON" };
  // Encoding would turn half a character into U+FFFD, and other bytes than were sent would be verified.
  return body.isWellFormed() ? new TextEncoder().encode(body) : { error: "CS_BODY_NOT_JSON" };
}

/** Decodes canonical base64 (RFC 4648 section 4); Node's decoder skips characters that it does not know. */
function base64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
