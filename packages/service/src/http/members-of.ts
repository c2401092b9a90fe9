/** The members of a body that may be anything. */
export function membersOf(body: unknown): Partial<Record<string, unknown>> {
  return typeof body === "object" && body !== null && !Array.isArray(body) ? { ...body } : {};
}
