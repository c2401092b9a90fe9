import type { Policy } from "../policy.ts";
import { faultOf, membersOf } from "./member-errors.ts";
import type { MemberError } from "./refused.ts";

/** Texts of a body that are longer than the profile takes, where it is stricter than the schema (S 8). */
export function limitErrors(body: unknown, { limits }: Policy): MemberError[] {
  const members = membersOf(body);
  return Object.entries(limits.members).flatMap(([pointer, limit]) => {
    const value = members[pointer.slice(1)];
    const isTooLong = typeof value === "string" && value.length > limit;
    return isTooLong ? [faultOf(pointer, `has more than ${limit} characters`)] : [];
  });
}
