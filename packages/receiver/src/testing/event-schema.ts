import { eventSchemas, type JudgedSchema } from "@countersign/schemas/event-schemas";

/**
 * Returns the schema of a type of event of the standard catalogue.
 *
 * @throws {TypeError} the catalogue has no such type.
 */
export function eventSchema(type: string): JudgedSchema {
  const schema = eventSchemas[type];
  if (schema === undefined) throw new TypeError(`unknown event type ${JSON.stringify(type)}`);
  return schema;
}
