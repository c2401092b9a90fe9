import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram } from "../src/program.ts";
import { ran } from "./ran.ts";

/** Each command that does something, as its words. */
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

const program = createProgram({
  terminal: { out: () => {}, err: () => {} },
  env: {},
  asked: () => Promise.resolve(),
  interruption: () => new AbortController().signal,
  askSecret: () => Promise.resolve(undefined),
  unmet: () => {},
  version: "1.2.3",
});

describe("the command countersign", () => {
  it.each(commandsOf(program).map((words) => [words.join(" "), words] as const))(
    "explains %s with examples",
    async (name, words) => {
      const { status, out, err } = await ran([...words, "--help"]);
      expect({ status, err }).toEqual({ status: 0, err: "" });
      expect(out).toMatch(new RegExp(`^Examples:\\n(?:.*\\n)*.*countersign ${name}\\b`, "m"));
    },
  );

  it("tells its version and its help on stdout, and ends with 0", async () => {
    expect(await ran(["--version"])).toEqual({ status: 0, out: "1.2.3\n", err: "" });
    const help = await ran(["--help"]);
    expect(help).toMatchObject({ status: 0, err: "" });
    expect(help.out).toMatch(/^ +sandbox /m);
    expect(help.out).toMatch(/^ +serve /m);
  });

  it.each(["sandbox", "serve"])(
    "explains %s with examples and the environment",
    async (command) => {
      const { status, out } = await ran([command, "--help"]);
      expect(status).toBe(0);
      expect(out).toContain("Examples:");
      expect(out).toContain(`countersign ${command} --`);
      expect(out).toContain("COUNTERSIGN_");
    },
  );

  it("suggests the command that may be meant, with status 2", async () => {
    const { status, out, err } = await ran(["sandbx"]);
    expect(status).toBe(2);
    expect(err).toContain("Did you mean sandbox?");
    expect(out).toBe("");
  });

  it.each([
    [[]],
    [["sandbox", "--prot", "1"]],
    [["sandbox", "--port", "x"]],
    [["sandbox", "--port", "70000"]],
    [["sandbox", "--seed", "-1"]],
    [["sandbox", "more"]],
    [["serve", "--seed", "1"]],
  ])("ends with 2 for %j", async (args) => {
    const { status, out, err } = await ran(args);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).not.toBe("");
  });

  it.each([
    [["sand\u001b[2Jbox"]],
    [["send", "\u001b]0;title\u0007", "--url", "http://127.0.0.1:9/"]],
    [["sandbox", "--port", "1\u009b2J"]],
    [["diff", "\u202eold", "new"]],
    [["sandbox", "--profile", "\u001b[2J"]],
  ])("prints no control character of %j", async (args) => {
    const { status, err } = await ran(args);
    expect(status).toBe(2);
    expect(err).toMatch(/\\u/);
    expect(err).not.toMatch(/[\p{Cf}]|[^\P{Cc}\n]/u);
  });

  it.each(["--token", "--secret", "--secret-key", "--password"])("takes no %s", async (option) => {
    expect(await ran(["sandbox", option, "hush"])).toMatchObject({ status: 2 });
    expect(await ran(["serve", option, "hush"])).toMatchObject({ status: 2 });
  });
});
