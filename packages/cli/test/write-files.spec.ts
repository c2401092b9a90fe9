import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writeFiles } from "../src/write-files.ts";
import { temporaryFolder } from "./start-command.ts";

it("writeFiles replaces existing files and creates missing folders", async () => {
  const folder = temporaryFolder();
  const [one, two] = [join(folder, "one"), join(folder, "deep", "er", "two")];
  writeFileSync(one, "before, and longer");
  await writeFiles(new Map([[one, "first"]]).set(two, "second"));
  expect([readFileSync(one, "utf8"), readFileSync(two, "utf8")]).toEqual(["first", "second"]);
  expect(readdirSync(folder).toSorted()).toEqual(["deep", "one"]);
});

it("writeFiles changes no file if one of them cannot be written", async () => {
  const folder = temporaryFolder();
  const kept = join(folder, "kept");
  writeFileSync(kept, "before");
  const files = new Map([[kept, "after"]]).set(join(kept, "within-a-file"), "");
  await expect(writeFiles(files)).rejects.toThrow(/EEXIST|ENOTDIR/);
  expect(readFileSync(kept, "utf8")).toBe("before");
  mkdirSync(join(folder, "taken"));
  await expect(writeFiles(new Map([[join(folder, "taken"), ""]]))).rejects.toThrow(/EISDIR/);
  expect(readdirSync(folder).toSorted()).toEqual(["kept", "taken"]);
});
