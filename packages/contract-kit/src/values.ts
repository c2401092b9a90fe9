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

/** The value at a JSON Pointer (RFC 6901), or `undefined`. */
export function valueAt(root: unknown, pointer: string): unknown {
  return stepsOf(pointer).reduce<unknown>(
    (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    root,
  );
}

export function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
