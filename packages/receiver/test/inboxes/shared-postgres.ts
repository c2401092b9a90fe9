import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { SHARED_POSTGRES, startPostgres } from "./postgres-server.ts";

// What is made here is thrown away, and the server is not killed: flushes would only take time. Tables
// live too short for the vacuum, which would change plans at moments of its own.
const SETTINGS = ["fsync=off", "full_page_writes=off", "autovacuum=off", "max_connections=300"];
const START_MS = 60_000;

/** A PostgreSQL that all suites of a run share, each with databases of its own. */
export interface SharedPostgres {
  readonly port: number;
  /** `postgres://…` of a database's name. */
  urlOf(name: string): string;
  /** A new, empty database. @returns Its name. */
  create(): Promise<string>;
  /** Drops what was created here. The server goes on to the end of the run; outside of one it ends. */
  stop(): Promise<void>;
}

/** Whoever restarts, kills or changes a server starts one of its own (`startPostgres`). */
export async function sharedPostgres(): Promise<SharedPostgres> {
  const { port, end } = await serverOfRun();
  const admin = new pg.Pool({ host: "127.0.0.1", port, user: "postgres", max: 1 });
  const made: string[] = [];
  return {
    port,
    urlOf: (name) => `postgres://postgres@127.0.0.1:${String(port)}/${name}`,
    create: async () => {
      const name = `test_${randomUUID().replaceAll("-", "")}`;
      await admin.query(`CREATE DATABASE ${name}`);
      made.push(name);
      return name;
    },
    stop: async () => {
      if (end === undefined) await drop(admin, made);
      await admin.end();
      end?.();
    },
  };
}

/**
 * A connection that has just ended may be one of the server's for a moment: it waits for it. By force it
 * would tell the client an error that nobody hears any more. What a failed test has left connected stays.
 */
async function drop(admin: pg.Pool, names: readonly string[]): Promise<void> {
  try {
    for (const name of names) await admin.query(`DROP DATABASE ${name}`);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== IN_USE) throw error;
  }
}

/** PostgreSQL's object_in_use. */
const IN_USE = "55006";

/** Started by whoever asks first; the others wait for its port. `test/run-folder.ts` ends it. */
async function serverOfRun(): Promise<{ readonly port: number; readonly end?: () => void }> {
  const run = process.env["COUNTERSIGN_TEST_RUN"];
  if (run === undefined) {
    const server = await startPostgres({ settings: SETTINGS });
    return { port: server.port, end: () => server.stop() };
  }
  const ready = join(run, SHARED_POSTGRES);
  try {
    mkdirSync(`${ready}-begun`);
  } catch {
    for (let waited = 0; !existsSync(ready); waited += 20) {
      if (waited > START_MS) throw new Error("the PostgreSQL of this run was not started");
      await setTimeout(20);
    }
    return { port: Number(readFileSync(ready, "utf8").split("\n")[0]) };
  }
  const { port, folder } = await startPostgres({ settings: SETTINGS });
  // In one step: nobody reads half of it.
  writeFileSync(`${ready}-new`, `${String(port)}\n${folder}\n`);
  renameSync(`${ready}-new`, ready);
  return { port };
}
