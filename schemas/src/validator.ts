/** What is wrong with a value. No value is in it: it may be a secret. */
export interface SchemaError {
  /** JSON Pointer (RFC 6901) of the wrong value; of the missing or unknown member itself. */
  readonly pointer: string;
  /** The keyword of JSON Schema that refuses it. */
  readonly keyword: string;
  /** What must hold, in words. */
  readonly message: string;
}

export type Validation<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: readonly SchemaError[] };

/** Judges a value by a schema. Never throws, changes nothing, keeps nothing between calls. */
export type Validator<T> = (value: unknown) => Validation<T>;

/** A generated check: a boolean, and its errors left on itself until the next call. */
export interface RawValidator {
  (value: unknown): boolean;
  errors?: readonly RawError[] | null;
}

export interface RawError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

// As many as a problem body lists: a body of thousands of unknown members must not be answered by
// thousands of errors.
const MAX_ERRORS = 100;

/** Judges what we write: every fault counts. */
export const writer = <T>(check: RawValidator): Validator<T> => validatorOf(check, () => true);

/** Judges what we read: members that were added since are let through, and values of open enums. */
export const reader = <T>(check: RawValidator): Validator<T> =>
  validatorOf(check, ({ keyword }) => keyword !== "additionalProperties" && keyword !== "openEnum");

/** Judges an object by the validator that its tag names. */
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
    // An object that has the member; what the member is, the map's lookup decides.
    const kind = kinds.get((value as Readonly<Record<string, string>>)[tag] ?? "");
    return kind === undefined
      ? refuse(`/${tag}`, "enum", `must be one of ${JSON.stringify([...kinds.keys()])}`)
      : kind(value);
  };
}

function validatorOf<T>(check: RawValidator, counts: (error: RawError) => boolean): Validator<T> {
  return (value) => {
    // The check was generated from the schema that T was generated from.
    if (check(value)) return { ok: true, value: value as T };
    // "if" only says that one of its branches failed, and that branch has said why.
    const faults = (check.errors ?? []).filter((error) => error.keyword !== "if" && counts(error));
    // The errors hold parts of the value: they must not outlive the call.
    check.errors = null;
    if (faults.length === 0) return { ok: true, value: value as T };
    return { ok: false, errors: faults.slice(0, MAX_ERRORS).map(schemaError) };
  };
}

function schemaError({ instancePath, keyword, params }: RawError): SchemaError {
  const at = (member: unknown): string =>
    `${instancePath}/${String(member).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  switch (keyword) {
    case "required":
      return { pointer: at(params["missingProperty"]), keyword, message: "is required" };
    case "additionalProperties":
      return {
        pointer: at(params["additionalProperty"]),
        keyword,
        message: "is not a member of this object",
      };
    case "openEnum":
      return { pointer: instancePath, keyword: "enum", message: messageOf("enum", params) };
    case "discriminator":
      // An object told apart by a member: that member is missing, or names none of the kinds.
      return params["error"] === "mapping"
        ? { pointer: at(params["tag"]), keyword: "enum", message: "is none of the known kinds" }
        : { pointer: at(params["tag"]), keyword: "required", message: "is required, as text" };
    default:
      return { pointer: instancePath, keyword, message: messageOf(keyword, params) };
  }
}

function messageOf(keyword: string, params: Readonly<Record<string, unknown>>): string {
  const limit = String(params["limit"]);
  switch (keyword) {
    case "type":
      return `must be ${[params["type"]].flat().join(" or ")}`;
    case "const":
      return `must be ${JSON.stringify(params["allowedValue"])}`;
    case "enum":
      return `must be one of ${JSON.stringify(params["allowedValues"])}`;
    case "minLength":
      return `must have at least ${limit} characters`;
    case "maxLength":
      return `must have at most ${limit} characters`;
    case "minItems":
      return `must have at least ${limit} items`;
    case "maxItems":
      return `must have at most ${limit} items`;
    case "minimum":
      return `must be at least ${limit}`;
    case "maximum":
      return `must be at most ${limit}`;
    case "pattern":
      return `must match ${String(params["pattern"])}`;
    case "format":
      return `must be a ${params["format"] === "uri" ? "http or https URL" : "time as YYYY-MM-DDTHH:mm:ss.SSSZ"}`;
    default:
      return `does not satisfy "${keyword}"`;
  }
}
