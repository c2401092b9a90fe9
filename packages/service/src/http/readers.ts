import { parseAmount } from "@countersign/rules";
import { pointerOf } from "@countersign/schemas";
import type { Policy } from "../profile/policy.ts";
import { isObject } from "./body.ts";
import { faultAt, refuseMembers, type Wording } from "./members.ts";
import type { MemberError } from "./problem.ts";
import type { JsonBody } from "./route.ts";

/** Place of a value in a JSON body or line. */
export interface Place {
  /** JSON Pointer (RFC 6901). */
  readonly pointer: string;
  /** The source text of the body's numbers, by JSON Pointer. */
  readonly numbers: ReadonlyMap<string, string>;
  readonly context: Wording;
  /** All errors of the body so far. */
  readonly errors: MemberError[];
}

/** Returns a valid value. Adds an error to the place if the value is invalid. */
export type Reader<T> = (value: unknown, place: Place) => T | undefined;

interface Optional<T> {
  readonly optional: Reader<T>;
}

/** Marks an optional member: if it is absent, the result lacks it too. */
export const optional = <T>(read: Reader<T>): Optional<T> => ({ optional: read });

/** The members of an object: required, unless they are optional. */
export type Spec = Readonly<Record<string, Reader<unknown> | Optional<unknown>>>;

type Read<R> = R extends Reader<infer T> | Optional<infer T> ? T : never;
type OptionalOf<S> = { [K in keyof S]: S[K] extends Optional<unknown> ? K : never }[keyof S];
export type Members<S extends Spec> = {
  readonly [K in Exclude<keyof S, OptionalOf<S>>]: Read<S[K]>;
} & { readonly [K in OptionalOf<S>]?: Read<S[K]> };

/** Reads the body of a call, an object of these members and no others, or refuses it with all its errors. */
export function readMembers<S extends Spec>(
  { body, context }: { readonly body: JsonBody; readonly context: Wording },
  spec: S,
): Members<S> {
  const errors: MemberError[] = [];
  const place = { pointer: "", numbers: body.numbers, context, errors };
  return refuseIfWrong(object(spec)(body.value, place), place);
}

/** Returns the value, or refuses the call with the errors of its place. */
export function refuseIfWrong<T>(read: T | undefined, { errors }: Place): T {
  if (read === undefined || errors.length > 0) throw refuseMembers(errors);
  return read;
}

/** An object of these members and no others. */
export function object<S extends Spec>(spec: S): Reader<Members<S>> {
  return (value, place) => {
    if (!isObject(value)) return invalid(place, "must be an object");
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(spec, name)) {
        wrong(within(place, name), "UNKNOWN_MEMBER", "is not taken here");
      }
    }
    const members: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(spec)) {
      const read = "optional" in member ? member.optional : member;
      if (value[name] !== undefined) members[name] = read(value[name], within(place, name));
      else if (read === member) wrong(within(place, name), "MISSING_MEMBER", "is required");
    }
    // Each member was read by its reader in `spec`; if one is invalid, `readMembers` returns `undefined`.
    return members as Members<S>;
  };
}

/** Text of `min` (default 1) to `max` characters (UTF-16 units). `words` describe the accepted ones. */
export function text(
  max: number,
  form: { readonly min?: number; readonly pattern?: RegExp; readonly words?: string } = {},
): Reader<string> {
  const { min = 1, pattern = /^/, words = "characters" } = form;
  const length = min === max ? `${max}` : `${min} to ${max}`;
  return (value, place) =>
    typeof value === "string" && value.length >= min && value.length <= max && pattern.test(value)
      ? value
      : invalid(place, `must be text of ${length} ${words}`);
}

export function oneOf<const T extends string>(...allowed: readonly T[]): Reader<T> {
  return (value, place) =>
    allowed.find((one) => one === value) ?? invalid(place, `must be one of ${allowed.join(", ")}`);
}

export const flag: Reader<boolean> = (value, place) =>
  typeof value === "boolean" ? value : invalid(place, "must be true or false");

/** A whole number, both bounds inclusive. */
export function integer(min: number, max: number): Reader<number> {
  return (value, place) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max
      ? value
      : invalid(place, `must be a whole number from ${min} to ${max}`);
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/;

/** A time in UTC, ISO 8601 with `Z`, in milliseconds; both bounds inclusive. @param words Describes the bounds. */
export function timeBetween(from: number, to: number, words: string): Reader<number> {
  return (value, place) => {
    const at = typeof value === "string" && TIME.test(value) ? Date.parse(value) : Number.NaN;
    if (at >= from && at <= to) return at;
    return invalid(place, `must be a time such as 2026-11-20T15:00:00.000Z, ${words}`);
  };
}

/** A list of at most `max` values. Default of `min`: 0. */
export function list<T>(read: Reader<T>, max: number, min = 0): Reader<T[]> {
  const length = min === 0 ? `at most ${max}` : `${min} to ${max}`;
  return (value, place) =>
    Array.isArray(value) && value.length >= min && value.length <= max
      ? value.flatMap((one: unknown, index) => read(one, within(place, String(index))) ?? [])
      : invalid(place, `must be a list of ${length}`);
}

/** An amount (S 2.1) in cents, validated as in the interface's calls: text and bounds. */
export const amount: Reader<bigint> = (value, place) =>
  object({ currency, value: cents })(value, place)?.value;

const currency: Reader<"USD"> = (value, place) =>
  value === "USD" ? value : wrong(place, "UNSUPPORTED_CURRENCY", "must be USD");

const cents: Reader<bigint> = (_value, { pointer, numbers, context, errors }) => {
  const amountCents = readCents(numbers.get(pointer), context.policy);
  if (amountCents === undefined) errors.push(faultAt(context, pointer, "INVALID_AMOUNT"));
  return amountCents;
};

/** Reads an amount within the profile's bounds from the source text of its number: as a double, `1.0000000000000001` is 1 (S 2.1). */
export function readCents(source = "", { amount: bounds }: Policy): bigint | undefined {
  const parsed = parseAmount(source);
  if (!parsed.ok || parsed.cents < bounds.minimumCents) return undefined;
  return parsed.cents <= bounds.maximumCents ? parsed.cents : undefined;
}

/** Adds an error with the description of the accepted values. */
export function invalid(place: Place, message: string): undefined {
  return wrong(place, "INVALID_VALUE", message);
}

function wrong({ pointer, errors }: Place, code: MemberError["code"], message: string): undefined {
  errors.push({ pointer, code, message });
}

function within(place: Place, name: string): Place {
  return { ...place, pointer: pointerTo(place.pointer, name) };
}

/** Returns the JSON Pointer of a member of the value at a pointer. */
export function pointerTo(pointer: string, name: string): string {
  return pointer + pointerOf([name]);
}
