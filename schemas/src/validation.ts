/** An error in a value. It omits the value, which may be a secret. */
export interface SchemaError {
  /** JSON Pointer (RFC 6901) of the invalid value, or of the missing or unknown member. */
  readonly pointer: string;
  /** The violated keyword of JSON Schema. */
  readonly keyword: string;
  /** The violated rule, as text. */
  readonly message: string;
}

export type Validation<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: readonly SchemaError[] };

/** Validates a value against a schema. Never throws, changes nothing, keeps nothing between calls. */
export type Validator<T> = (value: unknown) => Validation<T>;

/** An error as ajv's code writes it: `params` is the last step of the pointer, if an object reports a member. */
interface CheckError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message: string;
  readonly params: unknown;
}

/** Returns whether a value is valid, and leaves its errors here. Compiled from a schema by ajv. */
interface Check {
  (value: unknown): boolean;
  errors?: readonly CheckError[] | null;
}

// The number that a problem body lists: a body of thousands of unknown members must not be answered by
// thousands of errors.
const MAX_ERRORS = 100;

/** Makes a validator of a compiled check. `T` is the type of the check's schema. */
export function validator<T>(check: Check): Validator<T> {
  return (value) => {
    if (check(value)) return { ok: true, value: value as T };
    const errors = (check.errors ?? []).slice(0, MAX_ERRORS).map(errorOf);
    check.errors = null;
    return { ok: false, errors };
  };
}

function errorOf({ instancePath, keyword, message, params }: CheckError): SchemaError {
  const pointer = typeof params === "string" ? instancePath + params : instancePath;
  if (keyword === "discriminator")
    return { pointer, keyword: message === "is required" ? "required" : "enum", message };
  // ajv's own message of a list of types.
  return {
    pointer,
    keyword,
    message: keyword === "type" ? message.replaceAll(",", " or ") : message,
  };
}

/**
 * Leaves the errors of the form that a value is nearest to, of a value that has none of several forms.
 *
 * @param errors The errors of the forms, and at the end the error that none fits.
 * @param starts The places in it where the errors of each form begin.
 * @returns The number of errors.
 */
export function keepNearest(errors: CheckError[], starts: readonly number[]): number {
  const none = errors.splice(-1);
  const forms = starts
    .map((start, index) => errors.slice(start, starts[index + 1]))
    .filter(
      (form) =>
        !form.some((one) => one.keyword === "type" && one.instancePath === none[0]?.instancePath),
    );
  const nearer = (one: CheckError[], other: CheckError[]): CheckError[] =>
    other.length < one.length ? other : one;
  const nearest = forms.reduce(nearer, forms[0] ?? none);
  errors.splice(starts[0] ?? 0, Infinity, ...nearest);
  return errors.length;
}

/** Counts a text's characters like JSON Schema: a surrogate pair is one. */
export function lengthOf(text: string): number {
  let length = text.length;
  // A megabyte is not counted one by one: the engine finds quickly that it has no pairs.
  if (length > 256 && !/[\uD800-\uDBFF]/.test(text)) return length;
  for (let index = 1; index < text.length; index += 1) {
    const isLow = (text.charCodeAt(index) & 0xfc00) === 0xdc00;
    if (isLow && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800) length -= 1;
  }
  return length;
}

/** True if two values of JSON are equal: the order of members does not count. */
export function isEqualJson(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other;
  const [own, others] = [Object.entries(one), new Map(Object.entries(other))];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    own.length === others.size &&
    own.every(([name, value]) => others.has(name) && isEqualJson(value, others.get(name)))
  );
}

const TIMESTAMP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** The format `date-time`: `YYYY-MM-DDTHH:mm:ss.SSSZ` on a date of the calendar, without leap seconds (S 2.3). */
export function isTimestamp(text: string): boolean {
  if (!TIMESTAMP.test(text)) return false;
  const day = Number(text.slice(8, 10));
  if (day <= 28) return true;
  // The calendar repeats every 400 years; `Date` reads years below 100 as 19xx.
  const year = 2000 + (Number(text.slice(0, 4)) % 400);
  const lastDay = new Date(Date.UTC(year, Number(text.slice(5, 7)), 0)).getUTCDate();
  return day <= lastDay;
}

/** The format `uri`: an absolute http(s) URL of ASCII without user name, password and fragment (S 4.3). */
export function isHttpUrl(text: string): boolean {
  if (!/^https?:\/\/[!-~]+$/i.test(text) || text.includes("#") || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.username === "" && url.password === "" && url.hostname !== "";
}

/** The formats of the schemas, by their names there. */
export const formats: Readonly<Record<"date-time" | "uri", (text: string) => boolean>> = {
  "date-time": isTimestamp,
  uri: isHttpUrl,
};
