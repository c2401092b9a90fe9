import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import type { ProviderTarget } from "@countersign/contract-kit";
import { profiles } from "@countersign/schemas/profiles";
import { postgresDriver, type Driver } from "@countersign/service";
import { openSandbox } from "../../../packages/contract-kit/test/provider/open-sandbox.ts";
import {
  postgresBinaries,
  startPostgres,
  type TestServer,
} from "../../../packages/receiver/test/inboxes/servers.ts";
import type { Good } from "../matrix.ts";

const missing = (): string | undefined =>
  postgresBinaries === undefined ? "PostgreSQL is not installed" : undefined;

/** The sandbox on each of its stores, in each built-in profile. */
export const goodProviders: readonly Good<ProviderTarget>[] = (
  ["SQLite", "PostgreSQL"] as const
).flatMap((store) =>
  [profiles.standard, profiles["x-signature"]].map((profile) => ({
    name: `the sandbox on ${store}, ${profile.name}`,
    ...(store === "PostgreSQL" && { missing }),
    open: async () => {
      const driver = store === "PostgreSQL" ? await onPostgres() : undefined;
      const { target, close } = await openSandbox({ profile, driver });
      return { target: target(), close };
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
