import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram, run } from "../src/program.ts";
import { quietSurroundings, ran } from "./ran.ts";

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
  it("explains every command with examples, and names the variables of servers", async () => {
    const quiet = quietSurroundings({ out: "", err: "" }, {});
    const commands = commandsOf(await createProgram(["complete"], { ...quiet, unmet: () => {} }));
    expect(commands.length).toBeGreaterThan(12);
    for (const words of commands) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { status, out, err } = await ran([...words, "--help"]);
      expect({ status, err }).toEqual({ status: 0, err: "" });
      const name = words.join(" ");
      expect(out).toMatch(new RegExp(`^Examples:\\n(?:.*\\n)*.*countersign ${name}\\b`, "m"));
      if (/^(sandbox|serve)$/.test(name)) expect(out).toContain("COUNTERSIGN_");
    }
  });

  it.each([60, 120])("wraps help at words to %i columns", async (columns) => {
    const said = { out: "", err: "" };
    const quiet = quietSurroundings(said, {});
    const terminal = { ...quiet.terminal, columns };
    const commands = commandsOf(await createProgram(["complete"], { ...quiet, unmet: () => {} }));
    for (const words of commands) {
      said.out = "";
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await run([...words, "--help"], { ...quiet, terminal })).toBe(0);
      // Only a line that is a single long word, such as a URL, may be wider.
      const wide = said.out.split("\n").filter((line) => line.length > columns);
      expect(wide.filter((line) => /\S\s+\S/.test(line.replace(/ \\$/, "")))).toEqual([]);
      // A description continues below its first line.
      expect(said.out).not.toMatch(/^ {2}-.*\n {2}[^\s-]/m);
      const [name = ""] = words;
      expect(said.out.replaceAll(/ \\\n +/g, " ")).toContain(`countersign ${name}`);
    }
  });

  it("prints its version or its help on stdout and exits with 0", async () => {
    expect(await ran(["--version"])).toEqual({ status: 0, out: "1.2.3\n", err: "" });
    const help = await ran(["--help"]);
    expect(help).toMatchObject({ status: 0, err: "" });
    expect(help.out).toMatch(/^ +sandbox /m);
  });

  it("exits with 2 and prints its help on stderr without a command", async () => {
    const { status, out, err } = await ran([]);
    expect([status, out, err]).toEqual([2, "", expect.stringMatching(/^ +sandbox /m)]);
  });
});
