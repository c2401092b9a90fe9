import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { failureCodes } from "../src/failure.ts";
import { brokenKinds } from "../src/send/broken.ts";
import { ran } from "./ran.ts";

const home = fileURLToPath(new URL("../", import.meta.url));
const readme = readFileSync(`${home}README.md`, "utf8");

/** The cells of a section's tables whose first cell is code that begins so, without the code's marks. */
function rows(section: string, beginning: string): string[][] {
  return section
    .split("\n")
    .filter((line) => line.startsWith(`| \`${beginning}`))
    .map((line) =>
      line
        .replaceAll("\\|", "\0")
        .split("|")
        .slice(1, -1)
        .map((cell) =>
          cell
            .trim()
            .replaceAll("\0", "|")
            .replace(/^`(.*)`$/, "$1"),
        ),
    );
}

const sectionOf = (heading: string): string =>
  (readme.split(`# ${heading}\n`)[1] ?? "").split(/\n##+ /)[0] ?? "";

/** What `--help` lists, `[flags, words]`; a line that is further in goes on with the one before. */
async function helpOf(command: string): Promise<{ options: string[][]; variables: Set<string> }> {
  const { out } = await ran([...command.split(" "), "--help"]);
  const listed = /^Options:\n((?: .*\n)+)/m.exec(out)?.[1] ?? "";
  const options = listed
    .replaceAll(/\n {10,}/g, " ")
    .trimEnd()
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/))
    .filter(([flags]) => flags !== "-h, --help");
  return { options, variables: new Set(out.match(/COUNTERSIGN_[A-Z_0-9]+…?/g)) };
}

const tabled =
  "sandbox,serve,send,explain,diff,types,requirements,verify provider,verify pacts,verify receiver,inbox migrate,inbox status,inbox dead,inbox retry";
describe.each(tabled.split(","))("the README section on countersign %s", (command) => {
  const section = sectionOf(`\`countersign ${command}\``);

  it("lists the options of --help, with the same words, and its variables", async () => {
    const { options, variables } = await helpOf(command);
    expect(options.length).toBeGreaterThan(2);
    expect(rows(section, "--")).toEqual(options);
    // Commands of one family may share their variables.
    const family = sectionOf(`\`countersign ${command.replace(/ .*/, "")}\``);
    const named = rows(`${family}\n${section}`, "COUNTERSIGN_").map(([name = ""]) => name);
    expect([...new Set(named)].toSorted()).toEqual([...variables].toSorted());
  });
});

describe("the README of the command", () => {
  it("has a section for each command and for nothing else", async () => {
    const { out } = await ran(["--help"]);
    const [, listed = ""] = out.split("Commands:\n");
    const commands = listed.replace(/\n\n.*/s, "").match(/(?<=^ {2})(?!help)[a-z]+/gm) ?? [];
    const sections = readme.match(/(?<=^## `countersign )[a-z]+/gm) ?? [];
    expect(sections).toEqual(commands);
  });

  it("lists each command of serve admin", async () => {
    const section = sectionOf("`countersign serve`");
    const below = async (path: string): Promise<string[]> => {
      const { out } = await ran([...path.split(" "), "--help"]);
      const [, listed = ""] = out.split("Commands:\n");
      return listed.match(/(?<=^ {2})(?!help)[a-z][a-z-]+/gm) ?? [];
    };
    const groups = await below("serve admin");
    expect(groups.length).toBeGreaterThan(5);
    for (const group of groups) {
      const listed = section.split("\n").filter((line) => line.startsWith(`| \`${group}`));
      expect([group, listed.length]).not.toEqual([group, 0]);
      for (const name of await below(`serve admin ${group}`))
        expect(listed.join("\n")).toMatch(new RegExp(`[\`, ]${name}\\b`));
    }
  });

  it("names every variable that the sources read", () => {
    const sources = globSync("src/**/*.ts", { cwd: home }).map((path) =>
      readFileSync(`${home}${path}`, "utf8"),
    );
    // A name with a suffix is a merchant's and, with `_2`, another's.
    const read = sources.flatMap((text) =>
      [...text.matchAll(/secretFrom\((?:surroundings\.)?env, ["`](\w+)(\$\{suffix\})?/g)].flatMap(
        ([, name = "", suffix]) => (suffix === undefined ? [name] : [name, `${name}_2`]),
      ),
    );
    // Those that a document of `--control` names have names of their own.
    const named = rows(readme, "COUNTERSIGN_")
      .map(([name = ""]) => name)
      .filter((name) => !name.endsWith("…"));
    expect([...new Set(named)].toSorted()).toEqual([...new Set(read)].toSorted());
  });

  it("lists every kind of broken attempt with its meaning", () => {
    const kinds = rows(sectionOf("`countersign send`"), "").filter(([name = ""]) =>
      /^[a-z]/.test(name),
    );
    expect(kinds).toEqual(Object.entries(brokenKinds));
  });

  it("lists every failure with its meaning", () => {
    expect(rows(readme, "CS_CLI_")).toEqual(Object.entries(failureCodes));
  });

  it("lists the exit codes", () => {
    expect(sectionOf("Exit codes").match(/(?<=^\| )\d(?= )/gm)).toEqual(["0", "1", "2"]);
  });
});
