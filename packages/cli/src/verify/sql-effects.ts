import type { EffectsSource } from "@countersign/contract-kit";
import { badEnvironment, secretFrom } from "../environment.ts";
import { badArgument, Failure, systemCode } from "../failure.ts";
import { terminalLine } from "@countersign/rules";
import { openFile, openPool } from "../sql.ts";
import type { Surroundings } from "../terminal.ts";

const VARIABLE = "COUNTERSIGN_EFFECTS_DATABASE_URL";

/**
 * Opens the effects that a query `sql:QUERY` of the merchant's own database lists: columns of the event's id, its type,
 * and how often its handler has run, in this order. A query without a third column lists one row per run.
 */
export async function openSqlEffects(
  text: string,
  env: Surroundings["env"],
): Promise<{ readonly source: EffectsSource; readonly close: () => Promise<void> }> {
  const query = /^sql:\s*(\S.*)$/s.exec(text)?.[1];
  if (query === undefined) throw badArgument("--effects must be sql: and a query");
  const { rows, close } = opened((await secretFrom(env, VARIABLE)) ?? "", query);
  const read = async (): Promise<unknown> =>
    (await rows()).map(([eventId, type = "", count = 1]) => {
      return { eventId, type, count: Number(count) };
    });
  try {
    await read();
  } catch (cause) {
    await close();
    // A driver's message may contain the URL; that of the query's mistake does not.
    const isQuery =
      cause instanceof Error && ("severity" in cause || systemCode(cause) === "ERR_SQLITE_ERROR");
    const why = isQuery ? cause.message : `it does not answer (${systemCode(cause) ?? "no code"})`;
    const message = `the query of --effects fails: ${terminalLine(why)}`;
    throw new Failure("CS_CLI_DATABASE_UNUSABLE", message, cause);
  }
  return { source: { read }, close };
}

interface Query {
  /** Values in the order of the query's columns. */
  readonly rows: () => Promise<readonly (readonly unknown[])[]>;
  readonly close: () => Promise<void>;
}

function opened(url: string, query: string): Query {
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  if (file !== undefined) {
    const database = openFile(file);
    return {
      rows: async () => database.prepare(query).all().map(Object.values),
      close: async () => database.close(),
    };
  }
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url))
    throw badEnvironment(
      `${VARIABLE} must be postgres://USER:PASSWORD@HOST:PORT/DATABASE or sqlite:FILE`,
    );
  const pool = openPool(url);
  return {
    rows: async () => (await pool.query<unknown[]>({ text: query, rowMode: "array" })).rows,
    close: () => pool.end(),
  };
}
