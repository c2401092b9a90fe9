import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url));
const run = (...flags: string[]) =>
  spawnSync(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      "--conditions=@countersign/source",
      ...flags,
      bin,
      "--version",
    ],
    { encoding: "utf8" },
  );

describe("the program that the package installs", () => {
  it("is the command", () => {
    const { status, stdout, stderr } = run();
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("says CS_CLI_NODE_TOO_OLD on a Node.js without what it needs", () => {
    const { status, stdout, stderr } = run("--no-experimental-sqlite");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      /^countersign: CS_CLI_NODE_TOO_OLD: this is Node\.js \d+\.\d+\.\d+; countersign needs \S.*\n$/,
    );
  });
});
