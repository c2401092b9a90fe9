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

/** A copy of a value with another one at a place. `undefined` removes the member. */
export function withValueAt(value: unknown, [step, ...rest]: Steps, put: unknown): unknown {
  if (step === undefined) return put;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) =>
      index === step ? withValueAt(item, rest, put) : item,
    );
  }
  // Steps lead through what is there: an object here, or the place of a new member.
  const members = value as Readonly<Record<string, unknown>>;
  const { [step]: inner, ...others } = members;
  const changed = withValueAt(inner, rest, put);
  return changed === undefined ? others : { ...members, [step]: changed };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
