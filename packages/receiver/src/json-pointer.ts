/** The members that a JSON Pointer names, from the root on (RFC 6901 section 4). */
export function membersOf(pointer: string): readonly string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((member) => member.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value at a pointer's members; `undefined` where there is none. */
export function valueAt(root: unknown, members: readonly string[]): unknown {
  let value = root;
  for (const member of members) value = ownMember(value, member);
  return value;
}

/** An own member of an object; anything else has none ("constructor" is no member of `{}`). */
function ownMember(value: unknown, member: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, member)
    ? (value as Readonly<Record<string, unknown>>)[member]
    : undefined;
}
