import type { Profile, SchemaError, Validation } from "@countersign/schemas";
import {
  validateCustomer,
  validateFlatError,
  validateProblem,
  validateRefund,
  validateSubscribeResponse,
  validateUnsubscribeResponse,
} from "@countersign/schemas/writers";

export interface JudgedAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string;
  /** The body as JSON; `undefined` if it is not JSON. */
  readonly body: unknown;
}

/** The errors of a response by its schema, a line each; empty if it is valid. */
export function answerFaults(answer: JudgedAnswer, profile: Profile): readonly string[] {
  const { status, body, contentType } = answer;
  const isProblem = status >= 400 && profile.statuses.errorBody === "problem";
  const wanted = isProblem ? "application/problem+json" : "application/json";
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  const isTyped = type === wanted;
  const typed = isTyped ? [] : [`Content-Type: ${type || "none"} instead of ${wanted}`];
  if (body === undefined) return [...typed, "the body is not JSON"];
  const validation = validationOf(answer, profile);
  if (validation === undefined || validation.ok) return typed;
  return [...typed, ...validation.errors.map(lineOf)];
}

function lineOf({ pointer, keyword, message }: SchemaError): string {
  return `${pointer === "" ? "the body" : pointer} ${message} (${keyword})`;
}

function validationOf(
  { method, path, status, body }: JudgedAnswer,
  profile: Profile,
): Validation<unknown> | undefined {
  if (status >= 400) {
    return profile.statuses.errorBody === "problem"
      ? validateProblem(body)
      : validateFlatError(body);
  }
  const route = `${method} ${path.split("?")[0]}`;
  if (route === "POST /v1/refunds") return validateRefund(withReference(body, profile));
  if (route.startsWith("GET /v1/customers/")) return validateCustomer(body);
  if (route === "POST /v1/webhook/subscribe") return validateSubscribeResponse(body);
  if (route.startsWith("PUT /v1/webhook/unsubscribe")) return validateUnsubscribeResponse(body);
  return undefined;
}

/** The schema has the member always; a profile may leave it out where the request had none. */
function withReference(body: unknown, { refund }: Profile): unknown {
  const isLeftOut = refund.clientReferenceIdWhenAbsent === "omit";
  if (!isLeftOut || typeof body !== "object" || body === null) return body;
  return { clientReferenceId: null, ...body };
}
