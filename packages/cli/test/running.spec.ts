import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { postgresBinaries, startPostgres } from "../../receiver/test/inboxes/postgres-server.ts";
import { failureCodes } from "../src/failure.ts";
import { ran } from "./ran.ts";
import { serveHere } from "./serve-here.ts";
import { temporaryFolder } from "./start-command.ts";

const page = readFileSync(
  fileURLToPath(new URL("../../service/docs/running.md", import.meta.url)),
  "utf8",
);

/** The lines of the page's blocks of a language, without their comments. */
const lines = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([^\`]*)\`\`\``, "g"))]
    .flatMap(([, block = ""]) => block.trim().split("\n"))
    .map((line) => line.replace(/\s+#.*$/, ""));

const keys = { COUNTERSIGN_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString("base64")}` };
const client = {
  ...keys,
  COUNTERSIGN_CLIENT_ID: "cli_merchant",
  COUNTERSIGN_CLIENT_SECRET: "a-client-secret-of-24-or-more",
};
const canary = "a-secret-that-stands-out-in-any-dump";

/** A merchant subscribes over HTTP. */
async function subscribe(url: string): Promise<void> {
  const credentials = `${client.COUNTERSIGN_CLIENT_ID}:${client.COUNTERSIGN_CLIENT_SECRET}`;
  const granted = await fetch(new URL("/v1/tokens", url), {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const answer = await fetch(new URL("/v1/webhook/subscribe", url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      url: "https://merchant.example/",
      secretKey: canary,
      subscriptionDetails: { type: "ALL" },
    }),
  });
  expect(answer.status).toBe(200);
}

describe("the page on running it for real", () => {
  it("names commands, options, variables and codes that there are", async () => {
    const { out: help } = await ran(["serve", "--help"]);
    const used = lines("sh").flatMap((line) => line.match(/(?<=countersign )serve[^>]*/g) ?? []);
    expect(used.length).toBeGreaterThan(2);
    const words = `${used.join(" ")} ${page.match(/countersign serve [a-z-]+/g)?.join(" ")}`;
    for (const name of words.match(/--[a-z-]+|(?<=serve )[a-z]+-[a-z]+/g) ?? []) {
      expect(help).toContain(name);
    }
    for (const option of ["--trust-proxy", "--drain"]) {
      expect(page).toContain(option);
      expect(help).toContain(option);
    }
    for (const name of page.match(/COUNTERSIGN_[A-Z_]+/g) ?? []) {
      expect(help).toContain(name.replace(/_FILE$/, ""));
    }
    for (const code of page.match(/CS_CLI_[A-Z_]+/g) ?? [])
      expect(failureCodes).toHaveProperty(code);
  });

  it("backs a SQLite file up while the service runs, and the copy starts", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "service.db");
    const copy = join(folder, "copy.db");
    const one = await serveHere(["serve", "--port", "0", "--database", file], client);
    await subscribe(one.url);
    const [statement = ""] = lines("sql");
    const database = new DatabaseSync(file);
    database.exec(statement.replace(/'[^']+'/, `'${copy}'`));
    database.close();
    expect(await one.end()).toBe(0);

    expect(readFileSync(copy).includes(canary)).toBe(false);
    expect((await ran(["serve", "--port", "0", "--database", copy], client)).status).toBe(0);
    const other = {
      ...keys,
      COUNTERSIGN_ENCRYPTION_KEYS: `k2:${Buffer.alloc(32).toString("base64")}`,
    };
    const refused = await ran(["serve", "--port", "0", "--database", copy], other);
    expect(refused.err).toContain("CS_CLI_ENCRYPTION_KEYS_UNUSABLE");
  });
});

const reason = postgresBinaries === undefined ? " (skipped: PostgreSQL is not installed)" : "";

describe.skipIf(postgresBinaries === undefined)(`the page on running it for real${reason}`, () => {
  it("dumps a PostgreSQL database without any secret, and the restored one starts", async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const folder = temporaryFolder();
    const at = (name: string): string => `postgres://postgres@127.0.0.1:${server.port}/${name}`;
    const env = { ...client, COUNTERSIGN_DATABASE_URL: at("postgres") };
    const one = await serveHere(["serve", "--port", "0"], env);
    await subscribe(one.url);

    const shell = (command: string): string =>
      execFileSync("sh", ["-ec", command], {
        cwd: folder,
        encoding: "utf8",
        env: {
          PATH: `${postgresBinaries}:${process.env["PATH"]}`,
          COUNTERSIGN_DATABASE_URL: at("postgres"),
          RESTORED_DATABASE_URL: at("restored"),
        },
      });
    const [dump = "", restore = ""] = lines("sh").filter((line) => line.startsWith("pg_"));
    shell(`createdb --maintenance-db="$COUNTERSIGN_DATABASE_URL" restored`);
    shell(dump);
    shell(restore);
    expect(shell('pg_dump "$COUNTERSIGN_DATABASE_URL"')).toContain("https://merchant.example/");
    expect(shell('pg_dump "$COUNTERSIGN_DATABASE_URL"')).not.toContain(canary);
    expect(await one.end()).toBe(0);

    const restored = { ...client, COUNTERSIGN_DATABASE_URL: at("restored") };
    const { status, err } = await ran(["serve", "--port", "0"], restored);
    expect([status, err]).toEqual([0, expect.stringContaining("/restored")]);
  }, 40_000);
});
