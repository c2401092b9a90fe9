/** Names of members and indexes of items, from the outside in. */
export type Steps = readonly (string | number)[];

/** Prints a JSON Pointer (RFC 6901) of names and indexes. */
export const pointerOf = (steps: Steps): string =>
  steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** Returns the names and indexes of a JSON Pointer. */
export const stepsOf = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

/** Returns the value at a JSON Pointer, or `undefined`. Ignores inherited members, and the length of a list. */
export const valueAt = (root: unknown, pointer: string): unknown =>
  stepsOf(pointer).reduce<unknown>(
    (at, step) =>
      typeof at === "object" && at !== null && Object.prototype.propertyIsEnumerable.call(at, step)
        ? // It has the member.
          (at as Readonly<Record<string, unknown>>)[step]
        : undefined,
    root,
  );

/**
 * Returns a copy of a value with another one at a place; objects and lists on the way are created. `undefined` removes a
 * member.
 */
export function withValueAt(value: unknown, [step, ...rest]: Steps, put: unknown): unknown {
  if (step === undefined) return put;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (Array.isArray(value) || (!isObject && String(step) === "0")) {
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    return list.toSpliced(Number(step), 1, withValueAt(list[Number(step)], rest, put));
  }
  const members: Readonly<Record<string, unknown>> = isObject ? { ...value } : {};
  const own = Object.hasOwn(members, step) ? members[step] : undefined;
  const changed = withValueAt(own, rest, put);
  // A computed name adds a member, even if it is `__proto__`; an assignment would set the prototype.
  if (changed !== undefined) return { ...members, [step]: changed };
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== step));
}
