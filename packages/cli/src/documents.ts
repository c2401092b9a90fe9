import { type EventsDocument, readDocument } from "@countersign/contract-kit/documents";
import type { Profile } from "@countersign/schemas/profiles";
import { interfaceSchemas, openApiOf } from "@countersign/service/internal";

/** The events and calls of a profile's service. */
export async function profileDocument(profile: Profile): Promise<EventsDocument> {
  const document = await readDocument(openApiOf(profile, interfaceSchemas));
  return { ...document, title: `profile ${profile.name}` };
}
