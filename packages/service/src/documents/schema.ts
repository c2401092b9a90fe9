/** A schema of OpenAPI 3.1 or AsyncAPI 3.0. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}

/** Schemas by their titles. */
export type Schemas = Readonly<Record<string, Schema>>;

export function refTo(title: string): Schema {
  return { $ref: `#/components/schemas/${title}` };
}

/** The title that a reference leads to. */
function titleOf({ $ref: ref }: Schema): string | undefined {
  return ref?.slice("#/components/schemas/".length);
}

/** A schema behind its references. @throws {Error} One leads nowhere. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  const title = titleOf(schema);
  if (title === undefined) return schema;
  const target = schemas[title];
  if (target === undefined) throw new Error(`there is no schema ${title}`);
  return resolved(target, schemas);
}

/** The schemas that a document's other parts lead to, through each other too. */
export function reachable(from: unknown, schemas: Schemas): Schemas {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries<unknown>({ ...value })) {
      const title =
        name === "$ref" && typeof member === "string" ? titleOf({ $ref: member }) : undefined;
      if (title === undefined) look(member);
      else if (!found.has(title)) {
        found.add(title);
        look(schemas[title]);
      }
    }
  };
  look(from);
  return Object.fromEntries(Object.entries(schemas).filter(([title]) => found.has(title)));
}
