import { valueAt } from "@countersign/schemas";
import type { SendingProvider } from "@countersign/schemas/provider-of";
import type { AttemptRow, EventRecord } from "../store/tables/deliveries.ts";
import { writtenTime } from "../use-cases/resources.ts";

export const timeOrNull = (at: number | null): string | null =>
  at === null ? null : writtenTime(at);

/** An event as the controls show it. `payload` is exactly the text that is signed and sent. */
export function shownEvent({ id, type, category, payload, createdAt }: EventRecord): object {
  return { id, type, category, timestamp: writtenTime(createdAt), payload };
}

/** An attempt as the controls show it. `startedAt` is real time, as in the signature. */
export function shownAttempt(attempt: AttemptRow): object {
  return { ...attempt, startedAt: writtenTime(attempt.startedAt) };
}

/** Reads the id of an event's resource; `null` if the payload has none. */
export function subjectOf(
  { catalogue }: SendingProvider,
  { type, payload }: Pick<EventRecord, "type" | "payload">,
): string | null {
  const whole: unknown = JSON.parse(payload);
  const rows = catalogue.filter((row) => row.type === type);
  const values = rows.map(({ resource }) => valueAt(whole, resource));
  return values.find((value) => typeof value === "string") ?? null;
}
