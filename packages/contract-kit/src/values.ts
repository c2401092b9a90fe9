import type { Steps } from "@countersign/schemas";

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A JSON value; `undefined` if the text is not JSON. */
export function parseJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(text).toString());
  } catch {
    return undefined;
  }
}

/** Returns a JSON value and all values within it, each with the steps to it. */
export function valuesIn(
  value: unknown,
  steps: Steps = [],
): readonly (readonly [steps: Steps, value: unknown])[] {
  const isObject = typeof value === "object" && value !== null;
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(isObject ? value : {});
  return [[steps, value], ...inner.flatMap(([step, one]) => valuesIn(one, [...steps, step]))];
}

/** A JSON text with members added to each of its objects that has a member of a name. */
export function withMembers(text: string, members: object, named: RegExp = /^/): string {
  const isMeant = (value: unknown): value is object =>
    isRecord(value) && Object.keys(value).some((name) => named.test(name));
  return JSON.stringify(JSON.parse(text), (_name, value: unknown) =>
    isMeant(value) ? { ...value, ...members } : value,
  );
}

/** Returns at most a number of items, evenly spread. */
export function spread<T>(list: readonly T[], most: number): readonly T[] {
  const share = Math.min(1, most / list.length);
  return list.filter((_, index) => Math.floor(index * share) > Math.floor((index - 1) * share));
}

/** `what: expected X, got Y`; two spellings of a letter, which look alike, are written out. */
export function difference(what: string, got: unknown, wanted: unknown): string {
  const [expected, found] = [wanted, got].map((one) =>
    (JSON.stringify(one) ?? "nothing").replaceAll(/\p{M}/gu, (mark) => {
      return `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;
    }),
  );
  return `${what}: expected ${expected}, got ${found}`;
}

/** Headers by name; a repeated one is joined with `, `. */
export const joinedHeaders = (
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]),
  );

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The text with small letters for capitals, and capitals for small ones. */
export function swappedCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (one) =>
    one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase(),
  );
}

/**
 * The wait of a Retry-After, in seconds or as a date (RFC 9110, section 10.2.3), in milliseconds.
 *
 * @param now The time of day, in milliseconds since the epoch, that a date is compared with.
 * @returns `undefined` if the field is neither.
 */
export function retryAfterMs(field: string, now: number): number | undefined {
  if (/^\d{1,9}(?:\.\d{1,3})?$/.test(field)) return Number(field) * 1000;
  const date = Date.parse(field);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
