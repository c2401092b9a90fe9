import { formatAmount } from "@countersign/rules";
import type { SchemaError, Validation } from "@countersign/schemas";
import type { EndpointPolicy } from "../delivery/egress/addresses.ts";
import { type ErrorCode, errorCodes, memberCodes } from "../error-codes.ts";
import type { Policy } from "../profile/policy.ts";
import { membersOf } from "./body.ts";
import { type MemberError, type Refused, refuse } from "./problem.ts";

/** Bounds of a problem body: a request of 64 KiB can be wrong in thousands of places. */
const MAX_ERRORS = 100;
const MAX_POINTER = 2048;

/** Members whose errors have their own code, by JSON Pointer or its beginning. */
const codesOfMembers: readonly (readonly [pointer: string, code: ErrorCode])[] = [
  ["/amount/currency", "UNSUPPORTED_CURRENCY"],
  ["/amount/value", "INVALID_AMOUNT"],
  ["/softDescriptor", "INVALID_SOFT_DESCRIPTOR"],
  ["/subscriptionDetails", "INVALID_SUBSCRIPTION_DETAILS"],
  ["/url", "INVALID_URL"],
  ["/secretKey", "WEAK_SECRET"],
];

/** Converts a schema's error to one with a stable code: the member's own, else the kind of mistake. */
function memberError(wording: Wording, finding: SchemaError): MemberError {
  const { pointer, keyword } = finding;
  const code = codeOf(pointer, keyword);
  const message = messageOf(wording, finding, code);
  return { pointer: pointer.slice(0, MAX_POINTER), code, message };
}

/** Creates the error of one member for a registered code, with this service's sentence. */
export function faultAt(wording: Wording, pointer: string, code: ErrorCode): MemberError {
  return { pointer, code, message: meaningOf(wording, code) };
}

/**
 * Creates the refusal of a request with all its wrong members. If they share one registered code, the
 * problem has it too, else `INVALID_REQUEST`.
 *
 * @param errors One or more.
 */
export function refuseMembers(errors: readonly MemberError[]): Refused {
  const codes = new Set(errors.map(({ code }) => code));
  const [only] = codes;
  const shared = codes.size === 1 && only !== undefined && isRegistered(only) ? only : undefined;
  if (shared === undefined) {
    return refuse("INVALID_REQUEST", { errors: errors.slice(0, MAX_ERRORS) });
  }
  const [message, ...others] = new Set(errors.map((error) => error.message));
  const isOne = message !== undefined && others.length === 0;
  return refuse(shared, { ...(isOne && { message }), errors: errors.slice(0, MAX_ERRORS) });
}

/** A request, the result of its schema, and errors found outside the schema. */
export interface JudgedRequest<T> {
  /** The body as it was sent, even if the schema validated a changed copy. */
  readonly body: unknown;
  readonly validation: Validation<T>;
  readonly more?: readonly MemberError[];
}

/**
 * Returns a validated request that keeps the profile's limits.
 *
 * @throws {Refused} 400 with all errors: one per member, and none inside a wrong member.
 */
export function acceptMembers<T>(
  wording: Wording,
  { body, validation, more = [] }: JudgedRequest<T>,
): T {
  const findings = [
    ...(validation.ok ? [] : validation.errors),
    ...limitErrors(body, wording.policy),
  ].map((finding) => memberError(wording, finding));
  const errors = outermost([...findings, ...more]);
  if (!validation.ok || errors.length > 0) throw refuseMembers(errors);
  return validation.value;
}

/** The first error of each member, without those inside a wrong member. */
function outermost(errors: readonly MemberError[]): MemberError[] {
  const first = new Map(errors.toReversed().map((error) => [error.pointer, error]));
  return errors.filter((error) => {
    if (first.get(error.pointer) !== error) return false;
    const names = error.pointer.split("/");
    return !names.some((_, depth) => depth > 0 && first.has(names.slice(0, depth).join("/")));
  });
}

/** The expected form in a sentence: never a pattern, nor one bound of several. */
function messageOf(
  wording: Wording,
  { pointer, keyword, message }: SchemaError,
  code: MemberError["code"],
): string {
  // The schema names the accepted values and their number better than one sentence for all.
  const isOwn = isRegistered(code) && (code !== "INVALID_SUBSCRIPTION_DETAILS" || isText(keyword));
  if (isOwn) return meaningOf(wording, code);
  if (code !== "INVALID_VALUE") return message;
  return formOf(wording, pointer) ?? (isText(keyword) ? memberCodes[code].meaning : message);
}

/** True for the keywords that each check one aspect of a text. */
function isText(keyword: string): boolean {
  return ["pattern", "format", "minLength", "maxLength"].includes(keyword);
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

function isRegistered(code: MemberError["code"]): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}

/** The profile's limits of text members, by JSON Pointer. */
const limitsOfMembers: Readonly<Record<string, "identifier" | "key" | "url">> = {
  "/paymentId": "identifier",
  "/subscriptionId": "identifier",
  "/requestKey": "key",
  "/url": "url",
};

/** Errors for texts that are longer than the profile accepts, where it is stricter than the schema (S 8). */
function limitErrors(body: unknown, { limits }: Policy): SchemaError[] {
  const members = membersOf(body);
  return Object.entries(limitsOfMembers).flatMap(([pointer, name]) => {
    const limit = limits[name];
    const value = members[pointer.slice(1)];
    const isTooLong = typeof value === "string" && value.length > limit;
    const message = `must have at most ${limit} characters`;
    return isTooLong ? [{ pointer, keyword: "maxLength", message }] : [];
  });
}

/** The choices that the sentences of an answer name. */
export interface Wording {
  readonly policy: Policy;
  readonly endpoints: EndpointPolicy;
}

/** Returns the registry's meaning of a code, with the bounds of this service's profile and options. */
export function meaningOf(wording: Wording, code: ErrorCode): string {
  return meaningsWithBounds[code]?.(wording) ?? errorCodes[code].meaning;
}

const meaningsWithBounds: Partial<Record<ErrorCode, (wording: Wording) => string>> = {
  INVALID_URL: ({ policy: { limits }, endpoints: { allowLoopback, ports } }) => {
    const scheme = allowLoopback ? "https address, or http to a loopback host," : "https address";
    const port = ports === undefined ? "" : `, on port ${ports.join(" or ")}`;
    return `The url must be an absolute ${scheme} of at most ${limits.url} ASCII characters, without credentials and fragment${port}.`;
  },
  INVALID_AMOUNT: ({ policy: { amount } }) => {
    const range = `from ${formatAmount(BigInt(amount.minimumCents))} to ${formatAmount(BigInt(amount.maximumCents))}`;
    return `The amount must be a JSON number ${range} with at most two digits after the separator.`;
  },
  INVALID_SOFT_DESCRIPTOR: ({ policy: { limits, descriptor } }) =>
    `The softDescriptor must be 1 to ${limits.softDescriptor} ${descriptor.words}.`,
  WEAK_SECRET: ({ policy: { limits } }) => {
    const { minimum, maximum } = limits.secretKey;
    return `The secretKey must be ${minimum} to ${maximum} printable ASCII characters without spaces that the signature scheme takes, and not the client's own secret.`;
  },
};

/** The form of a text member in words, by JSON Pointer; `undefined` if it has no description. */
function formOf({ policy: { limits } }: Wording, pointer: string): string | undefined {
  switch (pointer) {
    case "":
      return "must be a JSON object";
    case "/paymentId":
    case "/subscriptionId":
      return `must be 1 to ${limits.identifier} characters of A-Z, a-z, 0-9, _ and -`;
    case "/requestKey":
      return `must be 1 to ${limits.key} printable ASCII characters`;
    case "/clientReferenceId":
    case "/clientRefefenceId":
      return "must be 1 to 255 characters, none of them a control character";
    default:
      return undefined;
  }
}
