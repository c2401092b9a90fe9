import { parseAmount } from "@countersign/rules";
import {
  faultAt,
  refuseMembers,
  type Context,
  type JsonBody,
  type MemberError,
} from "@countersign/service";

/** Where a value stands in a body. */
export interface Place {
  /** JSON Pointer (RFC 6901). */
  readonly pointer: string;
  /** The source text of the body's numbers, by JSON Pointer. */
  readonly numbers: ReadonlyMap<string, string>;
}

/** Reads one member, or says what is wrong with it. */
export type Reader<T> = (
  value: unknown,
  place: Place,
) =>
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: MemberError[] };

export interface Member<T> {
  readonly isRequired: boolean;
  readonly read: Reader<T>;
}

export const required = <T>(read: Reader<T>): Member<T> => ({ isRequired: true, read });
export const optional = <T>(read: Reader<T>): Member<T | undefined> => ({
  isRequired: false,
  read: (value, place) =>
    value === undefined ? { ok: true, value: undefined } : read(value, place),
});

export type Members<S extends Readonly<Record<string, Member<unknown>>>> = {
  readonly [K in keyof S]: S[K] extends Member<infer T> ? T : never;
};

/**
 * The members of a body that is an object of these and no others.
 *
 * @throws {Refused} `INVALID_REQUEST` or the code that all errors share, 400, with every error and its
 *   JSON Pointer.
 */
export function readMembers<S extends Readonly<Record<string, Member<unknown>>>>(
  body: JsonBody,
  spec: S,
): Members<S> {
  const reading = object(spec)(body.value, { pointer: "", numbers: body.numbers });
  if (!reading.ok) throw refuseMembers(reading.errors);
  return reading.value;
}

/** An object of these members and no others. */
export function object<S extends Readonly<Record<string, Member<unknown>>>>(
  spec: S,
): Reader<Members<S>> {
  return (value, { pointer, numbers }) => {
    if (!isObject(value)) return invalid(pointer, "must be an object");
    const errors: MemberError[] = Object.keys(value)
      .filter((name) => !Object.hasOwn(spec, name))
      .map((name) => fault(within(pointer, name), "UNKNOWN_MEMBER", "is not taken here"));
    const members: Record<string, unknown> = {};
    for (const [name, { isRequired, read }] of Object.entries(spec)) {
      const place = { pointer: within(pointer, name), numbers };
      if (isRequired && value[name] === undefined) {
        errors.push(fault(place.pointer, "MISSING_MEMBER", "is required"));
        continue;
      }
      const reading = read(value[name], place);
      if (reading.ok) members[name] = reading.value;
      else errors.push(...reading.errors);
    }
    // Each member has been read by its own reader of `spec`.
    return errors.length === 0 ? { ok: true, value: members as Members<S> } : { ok: false, errors };
  };
}

export interface TextForm {
  /** Fewest characters (UTF-16 units), inclusive. Default 1. */
  readonly min?: number;
  readonly max: number;
  /** What it matches, and the same for people. Default: any text. */
  readonly pattern?: readonly [pattern: RegExp, words: string];
}

/** Text of a form. */
export function text({ min = 1, max, pattern: [pattern, words] = ANY }: TextForm): Reader<string> {
  const length = min === max ? `${max}` : `${min} to ${max}`;
  return (value, { pointer }) =>
    typeof value === "string" && value.length >= min && value.length <= max && pattern.test(value)
      ? { ok: true, value }
      : invalid(pointer, `must be text of ${length} ${words}`);
}

const ANY = [/^/, "characters"] as const;

export function oneOf<const T extends string>(...allowed: readonly T[]): Reader<T> {
  return (value, { pointer }) => {
    const found = allowed.find((one) => one === value);
    return found === undefined
      ? invalid(pointer, `must be one of ${allowed.join(", ")}`)
      : { ok: true, value: found };
  };
}

export const flag: Reader<boolean> = (value, { pointer }) =>
  typeof value === "boolean" ? { ok: true, value } : invalid(pointer, "must be true or false");

/** A whole number, both bounds inclusive. */
export function integer({ min, max }: { min: number; max: number }): Reader<number> {
  return (value, { pointer }) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max
      ? { ok: true, value }
      : invalid(pointer, `must be a whole number from ${min} to ${max}`);
}

/** A list of at most `max` values. */
export function list<T>(read: Reader<T>, { max }: { max: number }): Reader<T[]> {
  return (value, { pointer, numbers }) => {
    if (!Array.isArray(value) || value.length > max) {
      return invalid(pointer, `must be a list of at most ${max}`);
    }
    const readings = value.map((one: unknown, index) =>
      read(one, { pointer: `${pointer}/${index}`, numbers }),
    );
    const errors = readings.flatMap((reading) => (reading.ok ? [] : reading.errors));
    return errors.length > 0
      ? { ok: false, errors }
      : { ok: true, value: readings.flatMap((reading) => (reading.ok ? [reading.value] : [])) };
  };
}

/** An amount (S 2.1) in cents, judged as the interface's calls judge theirs: text and bounds. */
export function amount(context: Context): Reader<bigint> {
  const form = object({ currency: required(currency), value: required(cents(context)) });
  return (value, place) => {
    const reading = form(value, place);
    return reading.ok ? { ok: true, value: reading.value.value } : reading;
  };
}

const currency: Reader<string> = (value, { pointer }) =>
  value === "USD"
    ? { ok: true, value }
    : { ok: false, errors: [fault(pointer, "UNSUPPORTED_CURRENCY", "must be USD")] };

function cents(context: Context): Reader<bigint> {
  const { amount: policy } = context.policy;
  const { minimumCents, maximumCents, strings } = policy;
  return (value, { pointer, numbers }) => {
    const isTextTaken = strings === "accept" && typeof value === "string";
    const verdict = parseAmount(isTextTaken ? value : (numbers.get(pointer) ?? ""), policy);
    return verdict.ok && verdict.cents >= minimumCents && verdict.cents <= maximumCents
      ? { ok: true, value: verdict.cents }
      : { ok: false, errors: [faultAt(context, pointer, "INVALID_AMOUNT")] };
  };
}

/** What is wrong with the value at a pointer. */
export function invalid(
  pointer: string,
  message: string,
): { readonly ok: false; readonly errors: MemberError[] } {
  return { ok: false, errors: [fault(pointer, "INVALID_VALUE", message)] };
}

function fault(pointer: string, code: MemberError["code"], message: string): MemberError {
  return { pointer, code, message };
}

function within(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
