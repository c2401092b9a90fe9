import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import type { ProviderTarget } from "@countersign/contract-kit";
import { profiles } from "@countersign/schemas/profiles";
import { postgresDriver, type Driver } from "@countersign/service";
import {
  postgresBinaries,
  startPostgres,
  type TestServer,
} from "../../../packages/receiver/test/inboxes/postgres-server.ts";
import type { Good } from "../good.ts";
import { openProvider } from "./open-provider.ts";

const missing = postgresBinaries === undefined ? "PostgreSQL is not installed" : undefined;

/** The sandbox on each store that it has, in each built-in profile. */
export const goodProviders: readonly Good<ProviderTarget>[] = [
  { store: "SQLite", open: (): Promise<undefined> => Promise.resolve(undefined) },
  { store: "PostgreSQL", open: onPostgres, missing },
].flatMap(({ store, open, missing: reason }) =>
  [profiles.standard, profiles["x-signature"]].map((profile) => ({
    name: `the sandbox on ${store}, ${profile.name}`,
    ...(reason !== undefined && { missing: reason }),
    open: async () => {
      const driver = await open();
      const provider = await openProvider({ profile, ...(driver && { driver }) });
      return { target: provider.target(), close: provider.close };
    },
  })),
);

let server: Promise<TestServer> | undefined;

/** A new database of a server that lives as long as this process. */
async function onPostgres(): Promise<Driver> {
  server ??= startPostgres().then((started) => {
    process.once("exit", () => started.stop());
    return started;
  });
  const { port } = await server;
  const name = `provider_${randomUUID().replaceAll("-", "")}`;
  const createdb = join(postgresBinaries ?? "", "createdb");
  await promisify(execFile)(createdb, ["-h", "127.0.0.1", "-p", `${port}`, "-U", "postgres", name]);
  return postgresDriver({ url: `postgres://postgres@127.0.0.1:${port}/${name}` });
}
