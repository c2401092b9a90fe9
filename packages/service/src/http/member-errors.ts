import type { SchemaError, Validation } from "@countersign/schemas";
import { errorCodes, type ErrorCode } from "../error-codes.ts";
import { refuse } from "./refuse.ts";
import type { MemberError, Refused } from "./refused.ts";

/** Bounds of a problem body: a request of 64 KiB can be wrong in thousands of places. */
const MAX_ERRORS = 100;
const MAX_POINTER = 2048;

/** Members whose faults have a code of their own, by JSON Pointer or its beginning. */
const codesOfMembers: readonly (readonly [pointer: string, code: ErrorCode])[] = [
  ["/amount/currency", "UNSUPPORTED_CURRENCY"],
  ["/amount/value", "INVALID_AMOUNT"],
  ["/softDescriptor", "INVALID_SOFT_DESCRIPTOR"],
  ["/subscriptionDetails", "INVALID_SUBSCRIPTION_DETAILS"],
  ["/url", "INVALID_URL"],
  ["/secretKey", "WEAK_SECRET"],
];

/** A schema's finding with a stable code: the member's own, else what is wrong with the form. */
function memberError({ pointer, keyword, message }: SchemaError): MemberError {
  return { pointer: pointer.slice(0, MAX_POINTER), code: codeOf(pointer, keyword), message };
}

/** A fault of a registered code at one member. */
export function faultAt(pointer: string, code: ErrorCode): MemberError {
  return { pointer, code, message: errorCodes[code].meaning };
}

/**
 * Refuses a request for all its wrong members at once. Where they all have one registered code, the
 * problem has it too, else `INVALID_REQUEST`.
 *
 * @param errors One or more.
 */
export function refuseMembers(errors: readonly MemberError[]): Refused {
  const codes = new Set(errors.map(({ code }) => code));
  const [only] = codes;
  const shared = codes.size === 1 && only !== undefined && isRegistered(only) ? only : undefined;
  return refuse(shared ?? "INVALID_REQUEST", { errors: errors.slice(0, MAX_ERRORS) });
}

/**
 * A validated request.
 *
 * @param more What is wrong with it beside the schema's findings.
 * @throws {Refused} 400 with everything that is wrong, one fault a member.
 */
export function acceptMembers<T>(validation: Validation<T>, more: readonly MemberError[]): T {
  const findings = validation.ok ? [] : validation.errors.map(memberError);
  const errors = onePerMember([...findings, ...more]);
  if (!validation.ok || errors.length > 0) throw refuseMembers(errors);
  return validation.value;
}

/** A fault in a member's form. */
export function faultOf(pointer: string, message: string): MemberError {
  return { pointer, code: codeOf(pointer, "form"), message };
}

/** The members of a body that may be anything. */
export function membersOf(body: unknown): Partial<Record<string, unknown>> {
  return typeof body === "object" && body !== null && !Array.isArray(body) ? { ...body } : {};
}

function onePerMember(errors: readonly MemberError[]): MemberError[] {
  const seen = new Set<string>();
  return errors.filter(({ pointer }) => !seen.has(pointer) && seen.add(pointer));
}

function codeOf(pointer: string, keyword: string): MemberError["code"] {
  const [, code] = codesOfMembers.find(([member]) => isWithin(pointer, member)) ?? [];
  const isTopLevel = pointer.lastIndexOf("/") <= 0;
  if (code !== undefined && !(keyword === "required" && isTopLevel)) return code;
  switch (keyword) {
    case "required":
      return "MISSING_MEMBER";
    case "additionalProperties":
      return "UNKNOWN_MEMBER";
    default:
      return "INVALID_VALUE";
  }
}

function isWithin(pointer: string, member: string): boolean {
  return pointer === member || pointer.startsWith(`${member}/`);
}

function isRegistered(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
