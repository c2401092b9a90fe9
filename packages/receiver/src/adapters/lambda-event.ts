import type { BodyResult } from "../read-body.ts";

/** What the adapter needs of an event of API Gateway 1.0 or 2.0, a function URL or a load balancer. */
export interface LambdaEvent {
  /** Payload 1.0 and load balancer. */
  readonly httpMethod?: string;
  readonly path?: string;
  /** Payload 2.0 and function URL. */
  readonly rawPath?: string;
  readonly requestContext?: object;
  readonly headers?: Readonly<Record<string, string | undefined>> | null;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null;
  /** Text, or nothing. Anything else was parsed by a middleware. */
  readonly body?: unknown;
  readonly isBase64Encoded?: boolean;
}

/** The request's method, where the event is one of HTTP. */
export function lambdaMethod({ httpMethod, requestContext = {} }: LambdaEvent): string | undefined {
  if (httpMethod !== undefined) return httpMethod;
  // Payload 2.0 and function URL have it there; what has not is no POST.
  const { http } = requestContext as { readonly http?: { readonly method?: string } };
  return http?.method;
}

type Headers = Record<string, string | readonly string[] | undefined>;

/** The headers, with lists where one stands more than once and the event says so. */
export function lambdaHeaders(event: LambdaEvent): Headers {
  // Where both are there, `headers` has one value of each alone, and hides a duplicate.
  const given: Readonly<Headers> = event.multiValueHeaders ?? event.headers ?? {};
  // Without a prototype, so that a header named "__proto__" is a header.
  const headers = Object.create(null) as Headers;
  for (const [name, values] of Object.entries(given))
    headers[name] = typeof values === "object" && values.length === 1 ? values[0] : values;
  return headers;
}

/** The bytes that were sent, or why they cannot be told. Lambda bounds an event; the receiver's limit is judged on them. */
export function lambdaBody({ body, isBase64Encoded }: LambdaEvent): BodyResult {
  if (body === undefined || body === null) return new Uint8Array(0);
  if (typeof body !== "string") return { error: "CS_BODY_CONSUMED" };
  if (isBase64Encoded === true) return base64(body) ?? { error: "CS_BODY_NOT_JSON" };
  // Encoding would make half a character U+FFFD, and other bytes than were sent would be verified.
  return body.isWellFormed() ? new TextEncoder().encode(body) : { error: "CS_BODY_NOT_JSON" };
}

/** Bytes of canonical base64 (RFC 4648 section 4); Node's decoder skips what it does not know. */
function base64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
