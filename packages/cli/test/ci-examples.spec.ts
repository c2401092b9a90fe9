import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readBaseline } from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { controlFrom } from "../src/verify/control-file.ts";
import { ran } from "./ran.ts";

const home = fileURLToPath(new URL("../../../docs/ci/", import.meta.url));
const read = (path: string): string => readFileSync(join(home, path), "utf8");

const pipelines = ["merchant", "provider"].flatMap((folder) =>
  [".github/workflows/countersign.yml", ".gitlab-ci.yml"].map((file) => join(folder, file)),
);

/** Every text below a value of YAML, with the names that lead to it. */
function texts(value: unknown, path: readonly string[] = []): (readonly [string, string])[] {
  if (typeof value === "string") return [[path.join("/"), value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => texts(one, [...path, name]));
}

/** The lines of a pipeline that a shell runs: `run` of GitHub's steps, the scripts of GitLab's jobs. */
const scripts = (path: string): readonly string[] =>
  texts(parse(read(path)))
    .filter(([name]) => /\/run$|script\/\d+$/.test(name))
    .map(([, text]) => text);

/** The commands of a script, without the shell's lines between. */
const commands = (path: string): readonly (readonly string[])[] =>
  scripts(path)
    .map((text) => text.replaceAll(/\\\n\s*/g, " "))
    .flatMap((text) => text.match(/(?<=npx --no-install countersign ).*/g) ?? [])
    .map((text) => text.trim().split(/\s+/));

describe.each(pipelines)("the example %s", (path) => {
  it("is YAML whose scripts a shell can read", () => {
    const all = scripts(path);
    expect(all.length).toBeGreaterThan(2);
    for (const script of all) {
      // What the server puts in has no form of its own.
      const input = script.replaceAll(/\$\{\{.*?\}\}/g, "x");
      const { status, stderr } = spawnSync("bash", ["-n"], { input, encoding: "utf8" });
      expect({ script, status, stderr }).toEqual({ script, status: 0, stderr: "" });
    }
  });

  it("gives the command what it takes, and no secret as an argument", async () => {
    const all = commands(path);
    expect(all.length).toBeGreaterThan(0);
    for (const words of all) {
      expect(words.join(" ")).not.toMatch(/\$|secret|token/i);
      if (words[0] !== "verify") continue;
      expect(await ran([...words, "--list"])).toMatchObject({ status: 0, err: "" });
    }
  });

  it("names files that are there", () => {
    const [folder = ""] = path.split("/");
    const named = commands(path).flatMap((words) =>
      words.filter((_word, index) => /^--(baseline|control)$/.test(words[index - 1] ?? "")),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((file) => !existsSync(join(home, folder, file)))).toEqual([]);
  });

  it("pins what others have made, by its commit or its version", () => {
    const used = texts(parse(read(path))).filter(([name]) => /\/(uses|image)$/.test(name));
    expect(used.length).toBeGreaterThan(0);
    for (const [, text] of used) expect(text).toMatch(/^[a-z/-]+@[0-9a-f]{40}$|^node:24-\w+$/);
  });
});

describe("the files beside the examples", () => {
  it.each(["merchant", "provider"])("pin the command of this version (%s)", (folder) => {
    const { version, engines } = JSON.parse(
      readFileSync(new URL("../package.json", import.meta.url), "utf8"),
    ) as { version: string; engines: object };
    expect(JSON.parse(read(`${folder}/package.json`))).toMatchObject({
      devDependencies: { "@countersign/cli": version },
      engines,
    });
    expect(readBaseline(JSON.parse(read(`${folder}/countersign-baseline.json`)))).toEqual({
      ok: true,
      baseline: { known: [] },
    });
  });

  it("map hooks that the command can read", async () => {
    const env = { COUNTERSIGN_CONTROL_KEY: "key" };
    const control = await controlFrom(join(home, "provider/countersign-control.json"), env);
    expect(control).toBeDefined();
  });
});
