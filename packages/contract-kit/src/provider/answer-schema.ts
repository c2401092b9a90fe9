import type { Profile, SchemaError, Validation } from "@countersign/schemas";
import {
  validateCustomer,
  validateFlatError,
  validateProblem,
  validateRefund,
  validateSubscribeResponse,
  validateUnsubscribeResponse,
} from "@countersign/schemas/writers";

export interface ValidatedAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string;
  /** The body as JSON; `undefined` if it is not JSON. */
  readonly body: unknown;
}

/** The profile to judge by; members that no schema lists are noted in `additions`. */
export interface ValidationContext {
  readonly profile: Omit<Profile, "provider">;
  readonly additions?: Set<string> | undefined;
}

/** The faults of an answer, a line for each. */
export interface AnswerFaults {
  /** Faults that lose or falsify what the answer says. */
  readonly schema: readonly string[];
  /** Other media types, error bodies and identifiers than those of the interface: a client cannot read them, or not well. */
  readonly form: readonly string[];
}

/** Validates an answer of the interface by its schema. */
export function answerFaults(answer: ValidatedAnswer, context: ValidationContext): AnswerFaults {
  const { status, body, contentType } = answer;
  const isProblem = status >= 400 && context.profile.statuses.errorBody === "problem";
  const wanted = isProblem ? "application/problem+json" : "application/json";
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  const typed = type === wanted ? [] : [`Content-Type: ${type || "none"} instead of ${wanted}`];
  const form = isProblem ? [...typed, ...statusFaults(answer)] : typed;
  if (body === undefined) return { schema: ["the body is not JSON"], form };
  const validation = validationOf(answer, context.profile);
  if (validation === undefined || validation.ok) return { schema: [], form };
  const route = `${answer.method} ${answer.path.replace(/\?.*|(?<=^\/v1\/\w+\/)[^/?]+$/s, "…")}`;
  const errors = withoutAdditions(validation.errors, route, context);
  const isForm = (error: SchemaError): boolean => status >= 400 || isOfIdentifier(error);
  return {
    schema: errors.filter((error) => !isForm(error)).map(lineOf),
    form: [...form, ...errors.filter(isForm).map(lineOf)],
  };
}

/** True if an identifier has other characters, or more, than those of the interface: it can still be compared. */
export function isOfIdentifier({ pointer, keyword }: SchemaError): boolean {
  return /(?:\/id|Id|Key)$/.test(pointer) && ["pattern", "maxLength"].includes(keyword);
}

/** A problem's status is the answer's (RFC 9457, section 3.1.2). */
function statusFaults({ status, body }: ValidatedAnswer): readonly string[] {
  if (typeof body !== "object" || body === null || !("status" in body)) return [];
  return body.status === status ? [] : [`/status is ${JSON.stringify(body.status)}`];
}

/** Notes unlisted members and leaves them out, if the profile allows them. @param where In words. */
export function withoutAdditions(
  errors: readonly SchemaError[],
  where: string,
  { profile, additions }: ValidationContext,
): readonly SchemaError[] {
  if (profile.deprecation.additive === "refused") return errors;
  return errors.filter(({ pointer, keyword }) => {
    const isAdded = keyword === "additionalProperties";
    if (isAdded) additions?.add(`${where} ${pointer}`);
    return !isAdded;
  });
}

function lineOf({ pointer, keyword, message }: SchemaError): string {
  return `${pointer === "" ? "the body" : pointer} ${message} (${keyword})`;
}

function validationOf(
  { method, path, status, body }: ValidatedAnswer,
  profile: ValidationContext["profile"],
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

/** The schema requires the member; a profile may omit it if the request had none. */
function withReference(body: unknown, { refund }: ValidationContext["profile"]): unknown {
  const isLeftOut = refund.clientReferenceIdWhenAbsent === "omit";
  if (!isLeftOut || typeof body !== "object" || body === null) return body;
  return { clientReferenceId: null, ...body };
}
