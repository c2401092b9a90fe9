import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram, run } from "../src/program.ts";
import { quietSurroundings, ran } from "./ran.ts";

function commandsOf(command: Command, before: readonly string[] = []): (readonly string[])[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== "help")
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
    const examplesOf = (text: string): string =>
      text.replace(/^.*\nExamples:\n/s, "").replace(/\n\n.*$/s, "");
    const commands = commandsOf(await createProgram(undefined, { ...quiet, unmet: () => {} }));
    expect(commands.length).toBeGreaterThan(12);
    for (const words of commands) {
      const [out, wider] = [await helpOf(words, columns), await helpOf(words, 1000)];
      // Only an example, or a line that is a single long word, such as a URL, may be wider.
      const wide = out.split("\n").filter((line) => line.length > columns);
      const examples = examplesOf(out);
      expect(wide.filter((line) => /\S\s+\S/.test(line) && !examples.includes(line))).toEqual([]);
      // A description continues below its first line.
      expect(out).not.toMatch(/^ {2}-.*\n {2}[^\s-]/m);
      const name = words.join(" ");
      // A command can be copied.
      expect(examples).toBe(examplesOf(wider));
      expect(examples).toMatch(new RegExp(`countersign ${name}\\b`));
      // Examples come first.
      expect(out.indexOf("\nExamples:")).toBeLessThan(out.indexOf("\nOptions:"));
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

describe("a mistyped command, option or value", () => {
  it("exits with 2 and suggests the right one", async () => {
    for (const [given, meant] of [
      ["sand", "sandbox"],
      ["tpyes", "types"],
      ["help inbox retr", "retry"],
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
