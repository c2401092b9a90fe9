import type { ServerResponse } from "node:http";
import { statusUnder, type Policy } from "../profile/policy.ts";
import type { Refusal } from "./problem.ts";

/** The generated page with a heading for each code, which links from a problem's `type` lead to. */
const CODES_PAGE = "https://github.com/countersign/countersign/blob/main/docs/reference/codes.md";

/** The answer to a call. */
export interface Answer {
  readonly status: number;
  /** Text is written as it is, anything else as JSON. */
  readonly body: object | string;
  /** Default `application/json`. */
  readonly mediaType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Writes an answer that no cache may store: answers hold personal data and tokens. */
export function writeAnswer(
  response: ServerResponse,
  { status, body, mediaType = "application/json", headers = {} }: Answer,
): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.statusCode = status;
  response.setHeader("content-type", mediaType);
  response.setHeader("content-length", Buffer.byteLength(text));
  response.setHeader("cache-control", "no-store");
  response.setHeader("x-content-type-options", "nosniff");
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(text);
}

/** Returns a refusal in the profile's form (S 7): RFC 9457 with the interface's `errorDetails`, or a flat body. */
export function problemAnswer(policy: Policy, refusal: Refusal, requestId: string): Answer {
  const { code, message, errors, existing, headers } = refusal;
  const status = statusUnder(policy.statuses, code) ?? refusal.status;
  const base = { status, ...(headers && { headers }) };
  const errorDetails = { errorCode: code, errorMessage: message };
  if (policy.statuses.errorBody === "flat") {
    const errorSeverity = status >= 500 ? "FATAL" : "ERROR";
    return { ...base, body: { errorId: requestId, ...errorDetails, errorSeverity } };
  }
  return {
    ...base,
    mediaType: "application/problem+json",
    body: {
      type: `${CODES_PAGE}#${code.toLowerCase()}`,
      title: code.charAt(0) + code.slice(1).toLowerCase().replaceAll("_", " "),
      status,
      instance: `urn:countersign:request:${requestId}`,
      requestId,
      errorDetails,
      ...(errors && { errors }),
      ...(existing && { existing }),
    },
  };
}
