import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { listen } from "../../service/test/sandbox/listen.ts";
import { knownLocale, SECRET } from "./fixtures.ts";
import { flags, start } from "./start-command.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const source = (name: string): string => fileURLToPath(new URL(`../src/${name}`, import.meta.url));
const env = { COUNTERSIGN_SECRET: SECRET };

describe("the installed program", () => {
  it("fails with CS_CLI_NODE_TOO_OLD on a Node.js without node:sqlite", () => {
    const args = [...flags, "--no-experimental-sqlite", source("bin.ts"), "--version"];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      /^countersign: CS_CLI_NODE_TOO_OLD: this is Node\.js \d+\.\d+\.\d+.* run npx -p node@24 /,
    );
  });

  it("exits like SIGPIPE, without a message, when its output is closed", () => {
    // `true` has ended long before the first line.
    const command = `"${process.execPath}" ${flags.join(" ")} "${source("main.ts")}" requirements`;
    const script = `${command} | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], {
      encoding: "utf8",
      env: knownLocale,
    });
    expect([stdout.trim(), stderr]).toEqual(["141", ""]);
  });
});

it.skipIf(process.platform === "win32")(
  "SIGINT ends an import at once",
  { tags: "ci" },
  async () => {
    const folder = temporaryFolder();
    const lines = join(folder, "lines");
    spawnSync("mkfifo", [lines]);
    const running = start(["serve", "import", lines], { folder });
    // Opens once the command reads. Nobody ever writes to it.
    const writer = await open(lines, "w");
    await running.end("SIGINT");
    await writer.close();
    expect(running.process.signalCode).toBe("SIGINT");
  },
);

it("SIGINT ends a verification at once with status 2 and a partial report", async () => {
  // Only the first request is answered, which asks whether there is a server: without the signal the run would take minutes.
  const asked = Promise.withResolvers<void>();
  let requests = 0;
  const url = await listen((request, response) => {
    requests += 1;
    if (requests === 1) request.resume().on("end", () => response.writeHead(401).end());
    else asked.resolve();
  });
  const folder = temporaryFolder();
  const file = join(folder, "report.json");
  const args = ["verify", "receiver", "--url", url, "--report", `json=${file}`];
  const running = start(args, { folder, env });
  await asked.promise;
  expect(await running.end("SIGINT")).toBe(2);
  expect(running.stderr()).toContain("CS_CLI_UNVERIFIED");
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
    exitCode: 2,
    problems: [expect.stringContaining("interrupted")],
    entries: expect.arrayContaining([expect.objectContaining({ status: "skipped" })]) as unknown,
  });
});
