import { eventIndexes } from "./event-sql.ts";

export interface PostgresMigration {
  /** From 1, without gaps; a migration that is published is never changed. */
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/** Quotes the schema's name. @throws {TypeError} it is no plain name. */
export function schemaOf(schema: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw new TypeError(
      'postgresInbox: "schema" must be a name of small letters, digits and underscores, at most 63',
    );
  return `"${schema}"`;
}

/**
 * The inbox's migrations, for whoever applies them by tools of their own: run each once, in order,
 * in a transaction. `migrate()` of the inbox does that, and records them in `migrations`.
 *
 * @throws {TypeError} `schema` is no plain name.
 */
export function postgresMigrations(schema = "countersign"): readonly PostgresMigration[] {
  const name = schemaOf(schema);
  const events = `${name}.events`;
  const statements = [
    `CREATE SCHEMA IF NOT EXISTS ${name}`,
    `CREATE TABLE IF NOT EXISTS ${name}.migrations (number integer PRIMARY KEY, name text NOT NULL)`,
    `CREATE TABLE ${events} (
  tenant text NOT NULL, id text NOT NULL, digest text NOT NULL, type text NOT NULL,
  resource text, rank double precision, occurred_at bigint, body text,
  state text NOT NULL, token bigint NOT NULL, attempts integer NOT NULL, due_at bigint NOT NULL,
  reason text, changed_at bigint NOT NULL, PRIMARY KEY (tenant, id))`,
    // Every event is written twice or more: room for the second writing on the same page.
    `ALTER TABLE ${events} SET (fillfactor = 70)`,
    ...eventIndexes(events, "events"),
    `INSERT INTO ${name}.migrations (number, name) VALUES (1, 'events')`,
  ];
  return [{ number: 1, name: "events", sql: `${statements.join(";\n")};\n` }];
}
