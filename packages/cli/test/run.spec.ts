import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram } from "../src/program.ts";
import { quietSurroundings, ran } from "./ran.ts";

/** The words of each command that does something. */
function commandsOf(command: Command, before: readonly string[] = []): (readonly string[])[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== "help")
    .flatMap((one) => {
      const words = [...before, one.name()];
      const below = commandsOf(one, words);
      // A family whose members do all has no options of its own.
      return below.length > 0 && one.options.length === 0 ? below : [words, ...below];
    });
}

describe("the command countersign", () => {
  it("explains every command with examples, and names the variables of servers", async () => {
    const quiet = quietSurroundings({ out: "", err: "" }, {});
    const commands = commandsOf(createProgram({ ...quiet, unmet: () => {} }));
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

  it("prints its version or its help on stdout and exits with 0", async () => {
    expect(await ran(["--version"])).toEqual({ status: 0, out: "1.2.3\n", err: "" });
    const help = await ran(["--help"]);
    expect(help).toMatchObject({ status: 0, err: "" });
    expect(help.out).toMatch(/^ +sandbox /m);
  });

  it.each([
    "",
    "sandbox --prot 1",
    "sandbox --port x",
    "sandbox --port 70000",
    "sandbox --seed -1",
    "sandbox more",
    "serve --seed 1",
    ...["--token", "--secret", "--secret-key", "--password"].flatMap((option) => [
      `sandbox ${option} hush`,
      `serve ${option} hush`,
    ]),
  ])("exits with 2 and says why for `%s`", async (args) => {
    const { status, out, err } = await ran(args.split(" ").filter((word) => word !== ""));
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).not.toBe("");
  });

  it.each([
    ["sand\u001b[2Jbox"],
    ["send", "\u001b]0;title\u0007", "--url", "http://127.0.0.1:9/"],
    ["sandbox", "--port", "1\u009b2J"],
    ["diff", "\u202eold", "new"],
    ["sandbox", "--profile", "\u001b[2J"],
  ])("escapes the control characters of a wrong argument (%#)", async (...args) => {
    const { status, err } = await ran(args);
    expect([status, err]).toEqual([2, expect.stringMatching(/\\u/)]);
    expect(err).not.toMatch(/[\p{Cf}]|[^\P{Cc}\n]/u);
  });
});
