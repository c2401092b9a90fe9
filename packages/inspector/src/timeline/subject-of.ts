import { valueAt } from "../event/value-at.ts";
import type { NamedEvent, ToldEvent } from "../remote/shapes.ts";

/** The id of the resource that an event is about, where the profile's catalogue says that it stands. */
export function subjectOf(
  { type, payload }: Pick<ToldEvent, "type" | "payload">,
  events: readonly NamedEvent[],
): string | null {
  const { subjects = [] } = events.find((event) => event.type === type) ?? {};
  const value = read(payload);
  for (const pointer of subjects) {
    const subject = valueAt(value, pointer);
    if (typeof subject === "string") return subject;
  }
  return null;
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
