import type { InvalidMember, SchemaError } from "@countersign/schemas";

/** Converts a schema's errors to the list of invalid members. */
export function invalidMembers(errors: readonly SchemaError[]): InvalidMember[] {
  return errors.map(({ pointer, keyword, message }) => ({ pointer, code: keyword, message }));
}
