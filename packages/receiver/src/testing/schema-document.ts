import { createRequire } from "node:module";
import { posix } from "node:path";

/** What a schema of an event or of a part of it may say: the keywords that the documents use. */
export interface Schema {
  readonly $ref?: string;
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

/** A schema and the document that its references are relative to. */
export interface LocatedSchema {
  readonly schema: Schema;
  /** The document's path inside `@countersign/schemas`, for example `events/refund.failed.schema.json`. */
  readonly path: string;
}

// Not `import … with { type: "json" }`: the documents are looked up by the names of a catalogue.
const load = createRequire(import.meta.url);

/** The schema of a type of event of the standard catalogue. */
export function eventDocument(type: string): LocatedSchema {
  return schemaDocument(`events/${type}.schema.json`);
}

/** What a reference of the document at `path` points at (RFC 3986 section 5, on relative paths alone). */
export function referred(path: string, ref: string): LocatedSchema {
  return schemaDocument(posix.join(posix.dirname(path), ref));
}

function schemaDocument(path: string): LocatedSchema {
  // The package publishes nothing but schemas under these paths.
  return { schema: load(`@countersign/schemas/${path}`) as Schema, path };
}
