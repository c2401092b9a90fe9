import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keptSecret } from "../src/kept-secret.ts";
import { temporaryFolder } from "./start-command.ts";

describe("a secret kept in a file", () => {
  it("is made once, readable by its owner only, and read ever after", async () => {
    const file = join(temporaryFolder(), "secret");
    expect(await keptSecret(file, () => "first")).toEqual({ value: "first", isNew: true });
    expect(await keptSecret(file, () => "second")).toEqual({ value: "first", isNew: false });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await expect(keptSecret(join(file, "below"), () => "third")).rejects.toMatchObject({
      code: "CS_CLI_DATABASE_UNUSABLE",
    });
  });

  it("is awaited while another process writes it", async () => {
    const file = join(temporaryFolder(), "secret");
    await writeFile(file, "");
    const kept = keptSecret(file, () => "mine");
    await expect.poll(() => readFile(file, "utf8")).toBe("");
    await writeFile(file, "theirs\n");
    expect(await kept).toEqual({ value: "theirs", isNew: false });
  });
});
