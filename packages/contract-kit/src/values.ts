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

/** Names of members and indexes of items, from the outside in. */
export type Steps = readonly (string | number)[];

/** A copy of a value with another one at a place; objects and lists on the way are made. `undefined` removes a member. */
export function withValueAt(value: unknown, [step, ...rest]: Steps, put: unknown): unknown {
  if (step === undefined) return put;
  if (Array.isArray(value) || (!isRecord(value) && /^\d+$/.test(String(step)))) {
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    return list.toSpliced(Number(step), 1, withValueAt(list[Number(step)], rest, put));
  }
  const members = isRecord(value) ? Object.entries(value) : [];
  const at = members.findIndex(([name]) => name === step);
  const changed = withValueAt(members[at]?.[1], rest, put);
  const member = changed === undefined ? [] : [[String(step), changed] as const];
  // From entries: an assignment to `__proto__` would set the prototype.
  return Object.fromEntries(
    at === -1
      ? [...members, ...member]
      : members.toSpliced(at, 1, ...member.map((one): [string, unknown] => [...one])),
  );
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The text with small letters for capitals, and capitals for small ones. */
export function swappedCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (one) =>
    one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase(),
  );
}
