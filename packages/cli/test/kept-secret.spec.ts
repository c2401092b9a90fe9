import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { keptSecret } from "../src/kept-secret.ts";

async function secretFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-secret-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "secret");
}

it("a secret is made once, for its owner alone, and read ever after", async () => {
  const file = await secretFile();
  expect(await keptSecret(file, () => "first")).toEqual({ value: "first", isNew: true });
  expect(await keptSecret(file, () => "second")).toEqual({ value: "first", isNew: false });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it("a secret that another process is about to write is waited for", async () => {
  const file = await secretFile();
  await writeFile(file, "");
  const kept = keptSecret(file, () => "mine");
  await expect.poll(() => readFile(file, "utf8")).toBe("");
  await writeFile(file, "theirs\n");

  expect(await kept).toEqual({ value: "theirs", isNew: false });
});

it("a file that stays empty is no secret", async () => {
  const file = await secretFile();
  await writeFile(file, "");

  await expect(keptSecret(file, () => "mine")).rejects.toMatchObject({
    code: "CS_CLI_DATABASE_UNUSABLE",
  });
});
