type Members = Record<string, unknown>;

/**
 * Sets the value at a JSON Pointer and creates the objects on the way.
 *
 * @param pointer A JSON Pointer whose names have no escapes, as in the envelopes of profiles; not `""`.
 */
export function putAt(root: Members, pointer: string, value: unknown): void {
  const names = pointer.slice(1).split("/");
  const last = names.pop() ?? "";
  let at = root;
  for (const name of names) {
    const next = at[name] ?? noMembers();
    at[name] = next;
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
