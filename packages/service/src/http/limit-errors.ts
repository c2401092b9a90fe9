import type { SchemaError } from "@countersign/schemas";
import type { Policy } from "../policy.ts";
import { membersOf } from "./members-of.ts";

/** Texts of a body that are longer than the profile takes, where it is stricter than the schema (S 8). */
export function limitErrors(body: unknown, { limits }: Policy): SchemaError[] {
  const members = membersOf(body);
  return Object.entries(limits.members).flatMap(([pointer, limit]) => {
    const value = members[pointer.slice(1)];
    const isTooLong = typeof value === "string" && value.length > limit;
    const message = `must have at most ${limit} characters`;
    return isTooLong ? [{ pointer, keyword: "maxLength", message }] : [];
  });
}
