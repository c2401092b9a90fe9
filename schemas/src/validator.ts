import { type JudgedSchema, judgeOf, type SchemaError } from "./judge.ts";

export type Validation<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: readonly SchemaError[] };

/** Validates a value against a schema. Never throws, changes nothing, keeps nothing between calls. */
export type Validator<T> = (value: unknown) => Validation<T>;

// The number that a problem body lists: a body of thousands of unknown members must not be answered by
// thousands of errors.
const MAX_ERRORS = 100;

/** Validates written values: every deviation is an error. */
export const writer = <T>(schema: JudgedSchema): Validator<T> => validatorOf(schema, false);

/** Validates read values: accepts unknown members, and other values of open enums. */
export const reader = <T>(schema: JudgedSchema): Validator<T> => validatorOf(schema, true);

function validatorOf<T>(schema: JudgedSchema, isReader: boolean): Validator<T> {
  const judge = judgeOf(schema, isReader);
  return (value) => {
    const errors: SchemaError[] = [];
    judge(value, "", errors);
    // T was generated from the schema.
    return errors.length === 0
      ? { ok: true, value: value as T }
      : { ok: false, errors: errors.slice(0, MAX_ERRORS) };
  };
}

/** Validates an object with the validator that its tag names. */
export function byTag<T>(
  tag: string,
  validators: Readonly<Record<string, Validator<T>>>,
): Validator<T> {
  // A Map, since a tag named "constructor" must not be found in an object's prototype.
  const kinds = new Map(Object.entries(validators));
  const refuse = (pointer: string, keyword: string, message: string): Validation<T> => ({
    ok: false,
    errors: [{ pointer, keyword, message }],
  });
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return refuse("", "type", "must be object");
    if (!Object.hasOwn(value, tag)) return refuse(`/${tag}`, "required", "is required");
    // An object that has the member; the map's lookup checks its value.
    const kind = kinds.get((value as Readonly<Record<string, string>>)[tag] ?? "");
    return kind === undefined
      ? refuse(`/${tag}`, "enum", `must be one of ${JSON.stringify([...kinds.keys()])}`)
      : kind(value);
  };
}
