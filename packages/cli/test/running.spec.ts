import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { describePostgres } from "../../receiver/test/inboxes/describe-postgres.ts";
import { testPort } from "../../receiver/test/inboxes/servers.ts";
import { failureCodes } from "../src/failure.ts";
import { call, tokenOf } from "./admin/administered.ts";
import { failedWith, keys, missing } from "./fixtures.ts";
import { ran, serveHere, type Served } from "./ran.ts";
import { writeCommand } from "./start-command.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const page = readFileSync(
  fileURLToPath(new URL("../../../docs/guides/running.md", import.meta.url)),
  "utf8",
);

/** The lines of the page's shell blocks, without their comments. */
const lines = [...page.matchAll(/```sh\n([^`]*)```/g)]
  .flatMap(([, block = ""]) => block.trim().split("\n"))
  .map((line) => line.replace(/\s+#.*$/, ""));

describe("the page on running the service", () => {
  it("names only existing commands, options, variables and codes", async () => {
    const { out: help } = await ran(["serve", "--help"]);
    const used = lines.flatMap(
      (line) => line.match(/(?<=countersign )serve(?! admin)[^>]*/g) ?? [],
    );
    expect(used.length).toBeGreaterThan(2);
    const words = `${used.join(" ")} ${page.match(/countersign serve (?!admin)[a-z-]+/g)?.join(" ")}`;
    const names = words.match(/--[a-z-]+|(?<=serve )[a-z]+-[a-z]+/g) ?? [];
    const variables = page.match(/COUNTERSIGN_[A-Z_]+/g) ?? [];
    const bare = variables.map((name) => name.replace(/_FILE$/, ""));
    for (const name of [...names, ...bare, "--trust-proxy", "--drain"])
      expect(help).toContain(name);
    for (const option of ["--trust-proxy", "--drain"]) expect(page).toContain(option);
    for (const code of page.match(/CS_CLI_[A-Z_]+/g) ?? [])
      expect(failureCodes).toHaveProperty(code);
  });

  it.skipIf(missing("curl")[0])(
    "creates a merchant and a client, imports a payment, and refunds it with curl, as written",
    async () => {
      const folder = temporaryFolder();
      writeCommand(folder);
      const port = String(await testPort());
      const [, written = ""] = /```sh\n([^`]*)```/.exec(page) ?? [];
      const script = join(folder, "first-start.sh");
      // The server ends with the shell.
      const end = `trap 'test -z "\${!-}" || kill "$!"' EXIT\n`;
      writeFileSync(script, end + written.replaceAll("4010", port));
      const { PATH, HOME } = process.env;
      const env = { PATH: `${folder}:${PATH}`, HOME };
      const { stdout } = await promisify(execFile)("sh", ["-eu", script], { cwd: folder, env });
      expect(stdout).toMatch(/^cus_1\nimported 1, skipped 0, failed 0\nready \S+\n\{.*\}$/);
      expect(JSON.parse(stdout.split("\n").at(-1) ?? "")).toMatchObject({
        paymentStatus: "PENDING",
        clientReferenceId: null,
      });
    },
    120_000,
  );
});

describePostgres("countersign serve on PostgreSQL", (postgres) => {
  const hushed = (url: string): string => url.replace("postgres@", "postgres:hush@");
  const three = (env: Readonly<Record<string, string>>): Promise<Served[]> =>
    Promise.all([1, 2, 3].map(() => serveHere(["serve", "--port", "0"], env)));
  const end = async (all: readonly Served[]): Promise<void> =>
    expect(await Promise.all(all.map((one) => one.end()))).toEqual([0, 0, 0]);

  it("starts three times at once on an empty database, and shares tokens", async () => {
    const name = await postgres().create();
    const address = postgres().urlOf(name);
    const env = { ...keys, COUNTERSIGN_DATABASE_URL: hushed(address) };
    const all = await three(env);
    const [first] = all;
    if (first === undefined) throw new Error("no service is running");
    const token = await tokenOf(first, address);
    for (const one of all) {
      expect((await call(one.url, token)).status).toBe(404);
      expect(one.stderr()).toContain(`/${name}\n`);
      expect(one.stderr()).not.toContain("hush");
    }
    await end(all);
  });

  it("exits with 2 if the database does not exist and does not print its URL", async () => {
    const env = { ...keys, COUNTERSIGN_DATABASE_URL: hushed(postgres().urlOf("nothing")) };
    const failed = await ran(["serve", "--port", "0"], env);
    expect(failed).toEqual(failedWith("DATABASE_UNUSABLE"));
    expect(failed.err).not.toContain("hush");
  });
});
