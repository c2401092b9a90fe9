import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createProgram, run } from "../src/program.ts";
import { knownLocale, missing } from "./fixtures.ts";
import { quietSurroundings, ran } from "./ran.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

function commandsOf(command: Command, before: readonly string[] = []): (readonly string[])[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => !["help", "complete"].includes(one.name()))
    .flatMap((one) => {
      const words = [...before, one.name()];
      const below = commandsOf(one, words);
      // A group of commands has no separate options.
      return below.length > 0 && one.options.length === 0 ? below : [words, ...below];
    });
}

describe("the command countersign", () => {
  it("explains every command with examples, wraps its help at words, and names the variables of servers", async () => {
    const columns = 60;
    const said = { out: "", err: "" };
    const quiet = quietSurroundings(said, {});
    const helpOf = async (words: readonly string[], width: number): Promise<string> => {
      said.out = "";
      const terminal = { ...quiet.terminal, columns: width };
      expect(await run([...words, "--help"], { ...quiet, terminal })).toBe(0);
      return said.out;
    };
    const examplesOf = (text: string): string => text.replace(/^.*\nExamples:\n/s, "");
    const commands = commandsOf(await createProgram(["complete"], { ...quiet, unmet: () => {} }));
    expect(commands.length).toBeGreaterThan(12);
    for (const words of commands) {
      const [out, wider] = [await helpOf(words, columns), await helpOf(words, 1000)];
      // Only a line that is a single long word, such as a URL, may be wider.
      const wide = out.split("\n").filter((line) => line.length > columns);
      expect(wide.filter((line) => /\S\s+\S/.test(line.replace(/ \\$/, "")))).toEqual([]);
      // A description continues below its first line.
      expect(out).not.toMatch(/^ {2}-.*\n {2}[^\s-]/m);
      const name = words.join(" ");
      // A wrapped command can be copied: each line ends with a backslash, and no quoted argument is cut.
      const examples = examplesOf(out).replaceAll(/ \\\n +/g, " ");
      expect(examples).toBe(examplesOf(wider));
      expect(examplesOf(out)).not.toMatch(/^(?:[^"\n]|"[^"\n]*")*"[^"\n]*$/m);
      expect(examples).toMatch(new RegExp(`countersign ${name}\\b`));
      if (/^(sandbox|serve)$/.test(name)) expect(out).toContain("COUNTERSIGN_");
    }
    expect(said.err).toBe("");
  });

  it("prints its version or its help on stdout, and without a command its help on stderr", async () => {
    expect(await ran(["--version"])).toEqual({ status: 0, out: "1.2.3\n", err: "" });
    const help: unknown = expect.stringMatching(/^ +sandbox /m);
    expect(await ran(["--help"])).toEqual({ status: 0, out: help, err: "" });
    expect(await ran([])).toEqual({ status: 2, out: "", err: help });
  });
});

/** Output of the completion library: the values without their descriptions. */
async function completed(...words: readonly string[]): Promise<string[]> {
  const printed = vi.spyOn(console, "log").mockReturnValue();
  try {
    expect(await ran(["complete", "--", ...words])).toMatchObject({ status: 0, err: "" });
    const lines = printed.mock.calls.map(([line]) => String(line).split("\t")[0] ?? "");
    return lines.filter((line) => !line.startsWith(":"));
  } finally {
    printed.mockRestore();
  }
}

// In real shells: complete-command.slow.ts.
it("completes commands, options, and the known values of options and arguments", async () => {
  for (const [given, expected] of [
    ["s", ["sandbox", "serve", "send"]],
    ["inbox ", ["migrate", "status", "dead", "retry", "erase", "help"]],
    ["inbox dead --l", ["--limit"]],
    ["diff --r", ["--rules"]],
    ["providers x-", ["x-signature"]],
    ["send refund.failed --broken s", ["stale"]],
    ["types --language py", ["python"]],
    ["requirements R-MONEY-E", ["R-MONEY-EXACT"]],
    ["requirements --role ", ["provider", "sender", "receiver"]],
    ["sandbox --seed ", []],
  ] as const)
    expect([given, await completed(...given.split(" "))]).toEqual([given, expected]);
});

it.for(["bash", "zsh", "fish"])(
  "prints a completion script that %s can read",
  async (shell, { skip }) => {
    skip(...missing(shell));
    const printed = vi.spyOn(console, "log").mockReturnValue();
    onTestFinished(() => printed.mockRestore());
    expect(await ran(["complete", shell])).toMatchObject({ status: 0 });
    const script = printed.mock.calls.join("\n");
    expect(script).toContain("countersign complete -- ");
    const file = join(temporaryFolder(), "script");
    writeFileSync(file, script);
    const { status, stderr } = spawnSync(shell, ["-n", file], {
      encoding: "utf8",
      env: knownLocale,
    });
    expect([status, stderr]).toEqual([0, ""]);
  },
);

describe("a mistyped command, option or value", () => {
  it("exits with 2 and suggests the right one", async () => {
    for (const [given, meant] of [
      ["tpyes", "types"],
      ["help sned", "send"],
      ["help inbox migrat", "migrate"],
      ["inbox migrat", "migrate"],
      ["requirements --rol receiver", "--role"],
      ["verify receivr", "receiver"],
      ["requirements R-VERFIY-RAW", "R-VERIFY-RAW"],
      ["send refund.authorised --url http://127.0.0.1:9", "refund.authorized"],
      ["send refund.failed --url http://127.0.0.1:9 --broken stael", "stale"],
      ["types --language pyhton --out x", "python"],
      ["types --language go --out x --profile standrad", "standard"],
      ["verify receiver --list --only receiver/forgd", "receiver/forged"],
    ] as const) {
      const err: unknown = expect.stringMatching(new RegExp(`did you mean ${meant}\\?`, "i"));
      expect([given, await ran(given.split(" "))]).toMatchObject([given, { status: 2, err }]);
    }
  });
});
