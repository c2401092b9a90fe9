/** The id of the resource that an event is about, as the standard envelope has it. */
export function subjectOf(payload: string): string | null {
  const { data } = (readObject(payload) ?? {}) as { data?: unknown };
  if (typeof data !== "object" || data === null) return null;
  for (const name of ["paymentId", "customerId", "id"]) {
    // An object that has the member; whatever it is.
    const value = Object.hasOwn(data, name) ? (data as Record<string, unknown>)[name] : undefined;
    if (typeof value === "string") return value;
  }
  return null;
}

function readObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
