import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresDriver, sqliteDriver, type Driver } from "@countersign/service";
import { postgresBinaries, startPostgres } from "../../../receiver/test/inboxes/postgres-server.ts";

/** Named databases of one kind of store, new when they are first connected to. */
export interface Databases {
  connect(name: string): Driver;
  end(): void;
}

export interface DatabaseKind {
  readonly name: string;
  /** Why it cannot be tried here. */
  readonly missing?: string;
  readonly start: () => Promise<Databases>;
}

export const databaseKinds: readonly DatabaseKind[] = [
  {
    name: "SQLite",
    start: async () => {
      const folder = mkdtempSync(join(tmpdir(), "countersign-databases-"));
      return {
        connect: (name) => sqliteDriver(join(folder, `${name}.db`)),
        end: () => rmSync(folder, { recursive: true, force: true }),
      };
    },
  },
  {
    name: "PostgreSQL",
    ...(postgresBinaries === undefined && { missing: "PostgreSQL is not installed" }),
    start: startDatabases,
  },
];

async function startDatabases(): Promise<Databases> {
  const server = await startPostgres();
  const made = new Set<string>();
  const where = ["-h", "127.0.0.1", "-p", String(server.port), "-U", "postgres"];
  return {
    connect: (name) => {
      if (!made.has(name)) execFileSync(join(postgresBinaries ?? "", "createdb"), [...where, name]);
      made.add(name);
      // Nothing is killed here: a flush for each COMMIT would only take time.
      const options = new URLSearchParams({ options: "-c synchronous_commit=off" }).toString();
      const address = `127.0.0.1:${server.port}`;
      return postgresDriver({ url: `postgres://postgres@${address}/${name}?${options}` });
    },
    end: () => server.stop(),
  };
}
