import type { Profile } from "@countersign/schemas/profiles";
import { errorCodes, type ErrorCode } from "../error-codes.ts";
import { statusOf } from "../status-of.ts";

const requestId = { $ref: "#/components/headers/RequestId" };

const headersOf: Readonly<Record<number, object>> = {
  401: { "WWW-Authenticate": { $ref: "#/components/headers/Challenge" } },
  403: { "WWW-Authenticate": { $ref: "#/components/headers/Challenge" } },
  429: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } },
  503: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } },
};

/** The refusals of a call by their statuses, each with the codes that it may have. */
export function refusals(profile: Profile, codes: readonly ErrorCode[]): Record<string, object> {
  const isFlat = profile.statuses.errorBody === "flat";
  const mediaType = isFlat ? "application/json" : "application/problem+json";
  const schema = { $ref: `#/components/schemas/${isFlat ? "FlatError" : "Problem"}` };
  const byStatus = Object.groupBy(codes, (code) => statusOf(profile.statuses, code));
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, own = []]) => [
      status,
      {
        description: own.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join("\n\n"),
        headers: { "X-Request-Id": requestId, ...headersOf[Number(status)] },
        content: { [mediaType]: { schema } },
      },
    ]),
  );
}

/** A success with a body of one schema. */
export function success(description: string, title: string): object {
  return {
    description,
    headers: { "X-Request-Id": requestId },
    content: { "application/json": { schema: { $ref: `#/components/schemas/${title}` } } },
  };
}

/** The headers that answers refer to. */
export const headers = {
  RequestId: {
    description: "Names this call in the log of the service.",
    schema: { $ref: "#/components/schemas/Identifier" },
  },
  Challenge: { description: "RFC 6750, section 3.", schema: { type: "string" } },
  RetryAfter: {
    description: "Seconds until the call may be made again.",
    schema: { type: "integer", minimum: 1 },
  },
} as const;
