import { eventSchemas } from "@countersign/schemas/event-schemas";

/** A schema of an event or of a part of it: the keywords that the schemas use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly examples?: readonly unknown[];
}

/**
 * Returns the schema of a type of event of the standard catalogue.
 *
 * @throws {TypeError} the catalogue has no such type.
 */
export function eventSchema(type: string): Schema {
  // Every keyword that the generator of `eventSchemas` lets pass is above.
  const schema: Schema | undefined = eventSchemas[type];
  if (schema === undefined) throw new TypeError(`unknown event type ${JSON.stringify(type)}`);
  return schema;
}
