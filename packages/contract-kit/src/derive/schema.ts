/** A schema of the closed subset of JSON Schema 2020-12 that `@countersign/schemas` is written in. */
export interface Schema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly examples?: readonly unknown[];
  /** Values that it refuses, for tests. */
  readonly "x-invalid"?: readonly unknown[];
  readonly type?: TypeName | readonly TypeName[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string };
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  /** An enum that readers take as open. */
  readonly "x-open"?: boolean;
}

export type TypeName = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/** A schema and where it stands, which its references are relative to. */
export interface LocatedSchema {
  readonly schema: Schema;
  readonly set: SchemaSet;
  /** Path of its document in the set, for example `events/refund.failed.schema.json`. */
  readonly path: string;
  /** JSON Pointer of the schema in its document. */
  readonly at: string;
}

/** Documents that refer to each other by relative paths. */
export interface SchemaSet {
  /** Paths of all documents, sorted. */
  readonly paths: readonly string[];
  /** @throws {TypeError} There is no such document. */
  readonly document: (path: string) => LocatedSchema;
}
