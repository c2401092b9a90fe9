import type { InvalidMember, SchemaError } from "@countersign/schemas";

/** What a schema refuses, as the members that are wrong. */
export function invalidMembers(errors: readonly SchemaError[]): InvalidMember[] {
  return errors.map(({ pointer, keyword, message }) => ({ pointer, code: keyword, message }));
}
