import type { Policy } from "../policy.ts";
import type { Answer } from "./answer.ts";
import type { Refusal } from "./refused.ts";

/**
 * A refusal as the profile writes it (S 7): RFC 9457 with the interface's `errorDetails`, or a flat
 * body. Holds the refusal's own words alone: no stack, no statement, no value of the request.
 */
export function problemAnswer(policy: Policy, refusal: Refusal, requestId: string): Answer {
  const { code, title, message, errors, existing, headers } = refusal;
  const status = policy.http.statusOf(code) ?? refusal.status;
  const base = { status, ...(headers && { headers }) };
  switch (policy.http.errorBody) {
    case "flat":
      return {
        ...base,
        body: {
          errorId: requestId,
          errorCode: code,
          errorMessage: message,
          errorSeverity: status >= 500 ? "FATAL" : "ERROR",
        },
      };
    case "problem":
      return {
        ...base,
        mediaType: "application/problem+json",
        body: {
          type: `https://countersign.example/problems/${code.toLowerCase().replaceAll("_", "-")}`,
          title,
          status,
          instance: `urn:countersign:request:${requestId}`,
          requestId,
          errorDetails: { errorCode: code, errorMessage: message },
          ...(errors && { errors }),
          ...(existing && { existing }),
        },
      };
    default:
      return policy.http.errorBody satisfies never;
  }
}
