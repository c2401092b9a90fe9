import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keptSecret } from "../src/kept-secret.ts";
import { writeFiles } from "../src/write-files.ts";
import { temporaryFolder } from "./start-command.ts";

const unusable = { code: "CS_CLI_DATABASE_UNUSABLE" };

describe("a secret kept in a file", () => {
  it("is made once, readable by its owner only, and read ever after", async () => {
    const file = join(temporaryFolder(), "secret");
    expect(await keptSecret(file, () => "first")).toEqual({ value: "first", isNew: true });
    expect(await keptSecret(file, () => "second")).toEqual({ value: "first", isNew: false });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const below = keptSecret(join(file, "below"), () => "third");
    await expect(below).rejects.toMatchObject(unusable);
  });

  it("is awaited while another process writes it", async () => {
    const file = join(temporaryFolder(), "secret");
    writeFileSync(file, "");
    const kept = keptSecret(file, () => "mine");
    await new Promise(setImmediate);
    writeFileSync(file, "theirs\n");
    expect(await kept).toEqual({ value: "theirs", isNew: false });
  });
});

describe("writeFiles", () => {
  it("replaces existing files and creates missing folders, or changes no file if one cannot be written", async () => {
    const folder = temporaryFolder();
    const [one, two] = [join(folder, "one"), join(folder, "deep", "er", "two")];
    writeFileSync(one, "before, and longer");
    await writeFiles(new Map([[one, "first"]]).set(two, "second"));
    expect([readFileSync(one, "utf8"), readFileSync(two, "utf8")]).toEqual(["first", "second"]);
    const files = new Map([[one, "after"]]).set(join(one, "within-a-file"), "");
    await expect(writeFiles(files)).rejects.toThrow(/EEXIST|ENOTDIR/);
    expect(readFileSync(one, "utf8")).toBe("first");
    mkdirSync(join(folder, "taken"));
    await expect(writeFiles(new Map([[join(folder, "taken"), ""]]))).rejects.toThrow(/EISDIR/);
    expect(readdirSync(folder).toSorted()).toEqual(["deep", "one", "taken"]);
  });
});
