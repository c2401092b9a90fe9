import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { EffectsSource } from "@countersign/contract-kit";
import pg from "pg";
import { secretFrom } from "../environment.ts";
import { badArgument, Failure, systemCode } from "../failure.ts";
import { printable } from "../printable.ts";
import type { Surroundings } from "../terminal.ts";

const VARIABLE = "COUNTERSIGN_EFFECTS_DATABASE_URL";

/**
 * Opens the effects that a query of the merchant's own database lists: columns of the event's id, its type, and how
 * often its handler has run, in this order. A query without a third column lists one row per run.
 *
 * @param text `sql:QUERY`.
 * @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`: another form. `CS_CLI_ENVIRONMENT_UNUSABLE`: the variable with the
 *   database is missing or of another form. `CS_CLI_DATABASE_UNUSABLE`: the query fails.
 */
export async function openSqlEffects(
  text: string,
  env: Surroundings["env"],
): Promise<{ readonly source: EffectsSource; readonly close: () => Promise<void> }> {
  const query = /^sql:\s*(\S.*)$/s.exec(text)?.[1];
  if (query === undefined) throw badArgument("--effects must be sql: and a query");
  const url = await secretFrom(env, VARIABLE);
  const database = url === undefined ? undefined : opened(url);
  if (database === undefined)
    throw new Failure(
      "CS_CLI_ENVIRONMENT_UNUSABLE",
      `${VARIABLE} must be postgres://USER:PASSWORD@HOST:PORT/DATABASE or sqlite:FILE`,
    );
  const read = async (): Promise<unknown> => {
    const rows = await database.rows(query);
    return rows.map(([eventId, type = "", count = 1]) => {
      return { eventId, type, count: Number(count) };
    });
  };
  try {
    await read();
  } catch (cause) {
    await database.close();
    if (cause instanceof Failure) throw cause;
    // A driver's message may contain the URL; that of the query's mistake does not.
    const isQuery =
      cause instanceof Error && ("severity" in cause || systemCode(cause) === "ERR_SQLITE_ERROR");
    const why = isQuery ? cause.message : `it does not answer (${systemCode(cause) ?? "no code"})`;
    throw new Failure(
      "CS_CLI_DATABASE_UNUSABLE",
      `the query of --effects fails: ${printable(why)}`,
      {
        cause,
      },
    );
  }
  return { source: { read }, close: database.close };
}

interface Database {
  /** Values in the order of the query's columns. */
  readonly rows: (query: string) => Promise<readonly (readonly unknown[])[]>;
  readonly close: () => Promise<void>;
}

function opened(url: string): Database | undefined {
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  if (file !== undefined) return sqlite(file);
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) return undefined;
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 10_000 });
  // Otherwise a lost idle connection ends the process.
  pool.on("error", () => {});
  return {
    rows: async (query) => {
      const { rows } = await pool.query<unknown[]>({ text: query, rowMode: "array" });
      return rows;
    },
    close: () => pool.end(),
  };
}

function sqlite(file: string): Database {
  if (!existsSync(file))
    throw new Failure("CS_CLI_DATABASE_UNUSABLE", `file ${printable(file)} not found`);
  const database = new DatabaseSync(file, { readOnly: true });
  return {
    rows: (query) =>
      Promise.resolve(
        database
          .prepare(query)
          .all()
          .map((row) => Object.values(row)),
      ),
    close: () => {
      database.close();
      return Promise.resolve();
    },
  };
}
