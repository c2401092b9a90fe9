type Members = Record<string, unknown>;

/** Prints a JSON Pointer (RFC 6901) of names and indexes. */
export const pointerOf = (steps: readonly (string | number)[]): string =>
  steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** Returns the names and indexes of a JSON Pointer. */
export const stepsOf = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

/** Returns the value at a JSON Pointer, or `undefined`. Inherited members, and the length of a list, are no values. */
export const valueAt = (root: unknown, pointer: string): unknown =>
  stepsOf(pointer).reduce<unknown>(
    (at, step) =>
      typeof at === "object" && at !== null && Object.prototype.propertyIsEnumerable.call(at, step)
        ? // It has the member.
          (at as Readonly<Members>)[step]
        : undefined,
    root,
  );

/**
 * Sets the value at a JSON Pointer and creates the objects on the way.
 *
 * @param pointer A JSON Pointer, not `""`.
 */
export function putAt(root: Members, pointer: string, value: unknown): void {
  const steps = [...stepsOf(pointer)];
  const last = steps.pop() ?? "";
  let at = root;
  for (const step of steps) {
    const next = at[step] ?? noMembers();
    at[step] = next;
    // Created here, or an object of the caller: a pointer leads through objects only.
    at = next as Members;
  }
  at[last] = value;
}

/** Returns an object without a prototype: a pointer that names `__proto__` reaches no other object. */
export function noMembers(): Members {
  // `Object.create` is typed `any`.
  return Object.create(null) as Members;
}
