import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { describePostgres } from "../../receiver/test/inboxes/describe-postgres.ts";
import { postgresBinaries } from "../../receiver/test/inboxes/servers.ts";
import { call, newClient, tokenOf } from "./service-data.ts";
import { encryptionKey, failedWith, keys, missing } from "./fixtures.ts";
import { ran, serveHere } from "./ran.ts";
import { writeCommand } from "./start-command.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const guide = readFileSync(
  fileURLToPath(new URL("../../../docs/guides/backup.md", import.meta.url)),
  "utf8",
);
const canary = "a-secret-that-stands-out-in-any-dump";

type Env = Readonly<Record<string, string>>;

function step(name: string): string {
  const block = new RegExp(`<!-- run: ${name} -->\n\n\`\`\`sh\n([^\`]+)\`\`\``).exec(guide)?.[1];
  if (block === undefined) throw new Error(`the guide has no step ${name}`);
  return block;
}

/** Variables of a shell that finds PostgreSQL's tools and `countersign`, which serves on a free port. */
function shellEnv(folder: string, env: Env): Env {
  writeCommand(folder, "--port", "0");
  return { PATH: `${folder}:${postgresBinaries}:${process.env["PATH"]}`, ...keys, ...env };
}

const run = (name: string, env: Env): string =>
  execFileSync("sh", ["-ec", step(name)], { env, encoding: "utf8", stdio: "pipe" });

/** Runs a step whose last command serves until the test ends. @returns The URL of its line `ready URL`. */
async function serveBy(name: string, env: Env): Promise<string> {
  const child = spawn("sh", ["-ec", step(name)], { env, detached: true });
  const { pid } = child;
  onTestFinished(() => void (pid !== undefined && process.kill(-pid, "SIGKILL")));
  let said = "";
  return new Promise((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const url = /^ready (.*)$/m.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.on("close", (status) => reject(new Error(`ended with ${status}: ${said}`)));
  });
}

const all = { subscriptionDetails: { type: "ALL" } };
async function subscribe(url: string, token: string): Promise<string> {
  const order = { url: "https://merchant.example/", secretKey: canary, ...all };
  const { body, status } = await call(url, token, "/v1/webhook/subscribe", order);
  expect(status).toBe(200);
  return String(body["subscriptionKey"]);
}

/** The statuses of closing subscriptions: 200 for those that the service knows. */
const unsubscribe = (url: string, token: string, ids: readonly string[]): Promise<number[]> =>
  Promise.all(
    ids.map(async (subscriptionId) => {
      const order = { subscriptionId, ...all };
      return (await call(url, token, "/v1/webhook/unsubscribe", order, "PUT")).status;
    }),
  );

interface Source {
  readonly env: Env;
  /** The arguments that name its database. */
  readonly place?: readonly string[];
  readonly damage?: () => void;
}

/**
 * Backs up a running service between two subscriptions, and restores the copy by the guide's steps.
 *
 * @returns The statuses of closing both subscriptions at the restored service.
 */
async function restored(
  store: "sqlite" | "postgres",
  { env, place = [], damage = () => {} }: Source,
): Promise<number[]> {
  const credentials = await newClient(env["COUNTERSIGN_DATABASE_URL"] ?? env["DATABASE"] ?? "");
  const one = await serveHere(["serve", "--port", "0", ...place], env);
  const token = await tokenOf(one.url, credentials);
  const kept = await subscribe(one.url, token);
  run(`${store} backup`, env);
  const late = await subscribe(one.url, token);
  expect(await one.end()).toBe(0);
  expect(readFileSync(env["BACKUP"] ?? "").includes(canary)).toBe(false);
  damage();
  const url = await serveBy(`${store} restore`, env);
  expect((await fetch(new URL("/readyz", url))).status).toBe(200);
  return unsubscribe(url, token, [kept, late]);
}

describe("the backup guide", { tags: "ci" }, () => {
  const [noSqlite, reason] = missing("sqlite3");
  it.skipIf(noSqlite)(
    `backs up SQLite while the service runs, restores it over a damaged file, and the copy starts with the same key only${noSqlite ? ` (skipped: ${reason})` : ""}`,
    async () => {
      const folder = temporaryFolder();
      const [DATABASE, BACKUP] = [join(folder, "service.db"), join(folder, "backup.db")];
      const env = shellEnv(folder, { DATABASE, BACKUP });
      const damage = (): void => {
        expect(() => run("sqlite backup", env)).toThrow(/already exists/);
        writeFileSync(DATABASE, "damaged");
      };
      const place = ["--database", DATABASE];
      const statuses = await restored("sqlite", { env, place, damage });
      expect(statuses).toEqual([200, 404]);
      expect(existsSync(join(`${DATABASE}.damaged`, "service.db"))).toBe(true);
      const other = { COUNTERSIGN_ENCRYPTION_KEYS: encryptionKey("k2") };
      const args = ["serve", "--port", "0", "--database", BACKUP];
      expect(await ran(args, other)).toEqual(failedWith("ENCRYPTION_KEYS_UNUSABLE"));
    },
    40_000,
  );
});

describePostgres(
  "the backup guide for PostgreSQL",
  (server) => {
    it("backs up the database while the service runs and restores it into an empty one", async () => {
      const postgres = server();
      const [from, to] = [await postgres.create(), await postgres.create()];
      const COUNTERSIGN_DATABASE_URL = postgres.urlOf(from);
      const folder = temporaryFolder();
      const BACKUP = join(folder, "countersign.dump");
      const RESTORED_DATABASE_URL = postgres.urlOf(to);
      const urls = { COUNTERSIGN_DATABASE_URL, RESTORED_DATABASE_URL };
      const env = shellEnv(folder, { ...urls, BACKUP });
      expect(await restored("postgres", { env })).toEqual([200, 404]);
    }, 40_000);
  },
  { tags: "ci" },
);
