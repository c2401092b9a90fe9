export type { JudgedSchema } from "./judge.ts";
/**
 * A reader's validator of a schema, for the modules that `countersign types --validators` writes: it
 * accepts members that the schema does not describe, and values that an `openEnum` does not list.
 *
 * @throws {SyntaxError} a `pattern` is not a regular expression.
 */
export { reader as readerOf } from "./validator.ts";
