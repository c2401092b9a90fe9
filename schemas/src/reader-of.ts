import { checkOf, type JudgedSchema } from "./check-of.ts";
import { reader, type Validator } from "./validator.ts";

export type { JudgedSchema } from "./check-of.ts";

/**
 * A reader's validator of a schema, judged as it is read: members that are not described pass, and
 * values that an `openEnum` does not list. For the modules that
 * `countersign types --validators` writes; the standard events have generated ones.
 *
 * @throws {SyntaxError} when it judges: a `pattern` is no regular expression.
 */
export function readerOf<T>(schema: JudgedSchema): Validator<T> {
  return reader<T>(checkOf(schema));
}
