import { isDeepStrictEqual } from "node:util";
import type { Profile, SchemaError, Validation } from "@countersign/schemas";
import {
  validateCustomer,
  validateFlatError,
  validateProblem,
  validateRefund,
  validateSubscribeResponse,
  validateUnsubscribeResponse,
} from "@countersign/schemas/writers";
import type { Evidence } from "../check.ts";

export interface JudgedAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string;
  /** The body as JSON; `undefined` if it is not JSON. */
  readonly body: unknown;
}

/** The profile to judge by; members that no schema lists are noted in `additions`. */
export interface Judging {
  readonly profile: Omit<Profile, "provider">;
  readonly additions?: Set<string> | undefined;
}

/**
 * Validates an answer of the interface by its schema.
 *
 * @returns A line for each fault.
 */
export function answerFaults(answer: JudgedAnswer, judging: Judging): readonly string[] {
  const { status, body, contentType } = answer;
  const isProblem = status >= 400 && judging.profile.statuses.errorBody === "problem";
  const wanted = isProblem ? "application/problem+json" : "application/json";
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  const typed = type === wanted ? [] : [`Content-Type: ${type || "none"} instead of ${wanted}`];
  if (body === undefined) return [...typed, "the body is not JSON"];
  const own = isProblem ? [...typed, ...statusFaults(answer)] : typed;
  const validation = validationOf(answer, judging.profile);
  if (validation === undefined || validation.ok) return own;
  const route = `${answer.method} ${answer.path.replace(/\?.*|(?<=^\/v1\/\w+\/)[^/?]+$/s, "…")}`;
  return [...own, ...withoutAdditions(validation.errors, route, judging).map(lineOf)];
}

/** A problem's status is the answer's (RFC 9457, section 3.1.2). */
function statusFaults({ status, body }: JudgedAnswer): readonly string[] {
  if (typeof body !== "object" || body === null || !("status" in body)) return [];
  return body.status === status ? [] : [`/status is ${JSON.stringify(body.status)}`];
}

/** Notes unlisted members and leaves them out, if the profile allows them. @param where In words. */
export function withoutAdditions(
  errors: readonly SchemaError[],
  where: string,
  { profile, additions }: Judging,
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
  { method, path, status, body }: JudgedAnswer,
  profile: Judging["profile"],
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
function withReference(body: unknown, { refund }: Judging["profile"]): unknown {
  const isLeftOut = refund.clientReferenceIdWhenAbsent === "omit";
  if (!isLeftOut || typeof body !== "object" || body === null) return body;
  return { clientReferenceId: null, ...body };
}

/** The target violates a requirement. Thrown inside a scenario, never out of a check. */
export class Violation extends Error {
  readonly requirement: string;
  /** Set by the scenario. */
  evidence: Evidence = { curl: [] };
  constructor(requirement: string, message: string) {
    super(message);
    this.name = "Violation";
    this.requirement = requirement;
  }
}

/**
 * The target cannot be brought into the scenario's state, which is not its fault. Thrown inside a scenario:
 * its requirements are `not_applicable`.
 */
export class NotShown extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NotShown";
  }
}

/** @throws {Violation} `holds` is false. */
export function must(requirement: string, holds: boolean, message: () => string): asserts holds {
  if (!holds) throw new Violation(requirement, message());
}

/** @throws {Violation} Two values are not the same. */
export function mustBe(requirement: string, what: string, got: unknown, wanted: unknown): void {
  must(requirement, isDeepStrictEqual(got, wanted), () => {
    const [expected, found] = [wanted, got].map((one) => JSON.stringify(one));
    return `${what}: expected ${expected}, got ${found}`;
  });
}
