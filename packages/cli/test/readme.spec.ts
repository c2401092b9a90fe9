import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ran } from "./ran.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

it("the README lists every command of the help, and only existing ones", async () => {
  const { out } = await ran(["--help"]);
  const [, listed = ""] = out.split("Commands:\n");
  const commands = listed.replace(/\n\n.*/s, "").match(/(?<=^ {2})(?!help)[a-z]+/gm) ?? [];
  const named = readme.match(/(?<=^\| `)[a-z]+(?=[ a-z]*` +\| [a-z]+[ ,])/gm) ?? [];
  expect(new Set(named)).toEqual(new Set(commands));
});

it("the help of a server names every variable that the sources read", async () => {
  const { out } = await ran(["serve", "--help"]);
  const files = [
    "commands/serve.ts",
    "database.ts",
    "start-service.ts",
    "secrets.ts",
    "environment.ts",
  ];
  const source = files
    .map((file) => readFileSync(new URL(`../src/${file}`, import.meta.url), "utf8"))
    .join("");
  const read = [...source.matchAll(/secretFrom\(env, "(\w+)"/g)].map(([, name = ""]) => name);
  expect(read.length).toBeGreaterThan(2);
  for (const name of read) expect(out).toContain(name);
});
