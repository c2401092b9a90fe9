import type { Profile, SchemaError, Validation } from "@countersign/schemas";
import {
  validateCustomer,
  validateFlatError,
  validateProblem,
  validateRefund,
  validateSubscribeResponse,
  validateUnsubscribeResponse,
} from "@countersign/schemas/writers";
import { isRecord } from "../values.ts";

export interface ValidatedAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string;
  /** The body as JSON; `undefined` if it is not JSON. */
  readonly body: unknown;
}

type JudgingProfile = Omit<Profile, "provider">;

/**
 * Returns the faults of an answer by requirement, a line for each. Faults of form are those with which a client cannot
 * read an answer, or not well; others lose or falsify what it says.
 */
export function answerFaults(
  answer: ValidatedAnswer,
  profile: JudgingProfile,
): Readonly<Record<"P-ANSWER-SCHEMA" | "P-ANSWER-FORM", readonly string[]>> {
  const { status, body, contentType } = answer;
  const isProblem = status >= 400 && profile.statuses.errorBody === "problem";
  const wanted = isProblem ? "application/problem+json" : "application/json";
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  const form = type === wanted ? [] : [`Content-Type: ${type || "none"} instead of ${wanted}`];
  // A problem's status is the answer's (RFC 9457, section 3.1.2).
  if (isProblem && isRecord(body) && "status" in body && body["status"] !== status)
    form.push(`/status is ${JSON.stringify(body["status"])}`);
  if (body === undefined)
    return { "P-ANSWER-SCHEMA": ["the body is not JSON"], "P-ANSWER-FORM": form };
  const validation = validationOf(answer, profile);
  const errors =
    validation === undefined || validation.ok ? [] : withoutAdditions(validation.errors, profile);
  const [ofForm, ofSchema] = [true, false].map((isForm) =>
    errors
      .filter((error) => (status >= 400 || isOfIdentifier(error)) === isForm)
      .map(({ pointer, keyword, message }) => `${pointer || "the body"} ${message} (${keyword})`),
  );
  return { "P-ANSWER-SCHEMA": ofSchema ?? [], "P-ANSWER-FORM": [...form, ...(ofForm ?? [])] };
}

/** True if an identifier has other characters, or more, than those of the interface: it can still be compared. */
export function isOfIdentifier({ pointer, keyword }: SchemaError): boolean {
  return /(?:\/id|Id|Key)$/.test(pointer) && ["pattern", "maxLength"].includes(keyword);
}

/** Leaves out unlisted members, if the profile allows them. */
export function withoutAdditions(
  errors: readonly SchemaError[],
  { deprecation }: Pick<Profile, "deprecation">,
): readonly SchemaError[] {
  if (deprecation.additive === "refused") return errors;
  return errors.filter(({ keyword }) => keyword !== "additionalProperties");
}

function validationOf(
  { method, path, status, body }: ValidatedAnswer,
  { statuses, refund }: JudgingProfile,
): Validation<unknown> | undefined {
  if (status >= 400)
    return statuses.errorBody === "problem" ? validateProblem(body) : validateFlatError(body);
  const route = `${method} ${path.split("?")[0]}`;
  // The schema requires the member; a profile may omit it if the request had none.
  const absent = refund.clientReferenceIdWhenAbsent === "omit" && { clientReferenceId: null };
  if (route === "POST /v1/refunds")
    return validateRefund(isRecord(body) ? { ...absent, ...body } : body);
  if (route.startsWith("GET /v1/customers/")) return validateCustomer(body);
  if (route === "POST /v1/webhook/subscribe") return validateSubscribeResponse(body);
  if (route.startsWith("PUT /v1/webhook/unsubscribe")) return validateUnsubscribeResponse(body);
  return undefined;
}
