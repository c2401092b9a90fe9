import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { Failure } from "./failure.ts";
import { terminalLine } from "@countersign/rules";

/** Opens a SQLite file to read it: one of another program must not be changed. */
export function openFile(file: string): DatabaseSync {
  if (existsSync(file)) return new DatabaseSync(file, { readOnly: true });
  throw new Failure("CS_CLI_DATABASE_UNUSABLE", `file ${terminalLine(file)} not found`);
}

export function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 2, connectionTimeoutMillis: 10_000 });
  // Otherwise a lost idle connection ends the process.
  pool.on("error", () => {});
  return pool;
}
