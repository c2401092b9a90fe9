import { formatAmount } from "@countersign/rules";
import type { SchemaError, Validation } from "@countersign/schemas";
import type { EndpointPolicy } from "../delivery/egress/addresses.ts";
import { type ErrorCode, errorCodes, memberCodes } from "../error-codes.ts";
import type { Policy } from "../profile/policy.ts";
import { isObject } from "./body.ts";
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
  const code = codeOf(finding);
  const message = messageOf(wording, finding, code);
  return { pointer: finding.pointer.slice(0, MAX_POINTER), code, message };
}

/** Creates the error of one member for a registered code, with this service's sentence. */
export function faultAt(wording: Wording, pointer: string, code: ErrorCode): MemberError {
  return { pointer, code, message: meaningOf(wording, code) };
}

/**
 * Creates the refusal of a request with all its wrong members, one or more. If they share one registered code, the
 * problem has it too, else `INVALID_REQUEST`.
 */
export function refuseMembers(errors: readonly MemberError[]): Refused {
  const shown = errors.slice(0, MAX_ERRORS);
  const [code, ...otherCodes] = new Set(errors.map((error) => error.code));
  if (code === undefined || otherCodes.length > 0 || !isRegistered(code))
    return refuse("INVALID_REQUEST", { errors: shown });
  const [message, ...others] = new Set(errors.map((error) => error.message));
  const isOne = message !== undefined && others.length === 0;
  return refuse(code, { ...(isOne && { message }), errors: shown });
}

/**
 * Returns a valid request within the profile's limits, or refuses it with one error for each wrong member.
 *
 * @param body As it was sent, even if the schema validated a changed copy.
 * @param more Errors found outside the schema.
 */
export function acceptMembers<T>(
  wording: Wording,
  request: { body: unknown; validation: Validation<T>; more?: readonly MemberError[] },
): T {
  const { body, validation, more = [] } = request;
  const found = [...(validation.ok ? [] : validation.errors), ...limitErrors(body, wording.policy)];
  const errors = outermost([...found.map((one) => memberError(wording, one)), ...more]);
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
const isText = (keyword: string): boolean =>
  ["pattern", "format", "minLength", "maxLength"].includes(keyword);

function codeOf({ pointer, keyword }: SchemaError): MemberError["code"] {
  const [, code] = codesOfMembers.find(([member]) => `${pointer}/`.startsWith(`${member}/`)) ?? [];
  const isTopLevel = pointer.lastIndexOf("/") <= 0;
  if (code !== undefined && !(keyword === "required" && isTopLevel)) return code;
  if (keyword === "required") return "MISSING_MEMBER";
  return keyword === "additionalProperties" ? "UNKNOWN_MEMBER" : "INVALID_VALUE";
}

const isRegistered = (code: MemberError["code"]): code is ErrorCode =>
  Object.hasOwn(errorCodes, code);

/** The texts whose length the profile limits, by JSON Pointer: how many characters, of which kind. */
function textForms({ limits }: Policy): Readonly<Record<string, readonly [number, string]>> {
  const identifier = [limits.identifier, "characters of A-Z, a-z, 0-9, _ and -"] as const;
  return {
    "/paymentId": identifier,
    "/subscriptionId": identifier,
    "/requestKey": [limits.key, "printable ASCII characters"],
    "/url": [limits.url, "ASCII characters"],
  };
}

/** Errors for texts that are longer than the profile accepts, where it is stricter than the schema (S 8). */
function limitErrors(body: unknown, policy: Policy): SchemaError[] {
  const members = isObject(body) ? body : {};
  return Object.entries(textForms(policy)).flatMap(([pointer, [limit]]) => {
    const value = members[pointer.slice(1)];
    const message = `must have at most ${limit} characters`;
    const isTooLong = typeof value === "string" && value.length > limit;
    return isTooLong ? [{ pointer, keyword: "maxLength", message }] : [];
  });
}

/** The form of a text member in words. */
function formOf({ policy }: Wording, pointer: string): string | undefined {
  if (pointer === "") return "must be a JSON object";
  if (/^\/clientRefe[rf]enceId$/.test(pointer))
    return "must be 1 to 255 characters, none of them a control character";
  const [limit, words] = textForms(policy)[pointer] ?? [];
  return limit === undefined ? undefined : `must be 1 to ${limit} ${words}`;
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
    return `The url must be an absolute ${scheme} of at most ${limits.url} ASCII characters, without credentials, fragment and private IP address${port}.`;
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
