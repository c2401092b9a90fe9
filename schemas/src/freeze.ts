/** Freezes a JSON value with everything in it: a profile that changes while it is used judges twice. */
export function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) freeze(member);
    Object.freeze(value);
  }
  return value;
}
