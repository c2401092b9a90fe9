import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { diffDocuments } from "../src/diff/index.ts";
import { readDocument } from "../src/documents/index.ts";
import { atEndOfFile, temporaryFolder } from "../../../test/temporary-folder.ts";

// 36 MB unpacked each: too large for a dependency.
const versions = ["12.0.3", "12.1.0"] as const;
const folder = temporaryFolder(atEndOfFile());
let missing: string | undefined;

beforeAll(() => {
  for (const version of versions) {
    const name = `@octokit/openapi-webhooks@${version}`;
    const { status, stdout } = spawnSync("npm", ["pack", "--silent", name], {
      cwd: folder,
      encoding: "utf8",
    });
    const archive = stdout.trim();
    const unpack = ["-xzf", archive, `--one-top-level=${version}`];
    if (status !== 0 || spawnSync("tar", unpack, { cwd: folder }).status !== 0)
      missing = `npm cannot fetch ${name}`;
  }
}, 300_000);

const fileOf = (version: string, name = "api.github.com.json"): string =>
  join(folder, version, "package/generated", name);

describe("GitHub's documents of webhooks", () => {
  it("are read, and are equal to themselves", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const [, version] = versions;
    const names = readdirSync(join(folder, version, "package/generated"));
    const documents = names.filter((name) => name.endsWith(".json"));
    expect(documents.length).toBeGreaterThan(5);
    for (const name of documents) {
      const document = await readDocument(fileOf(version, name));
      expect([name, diffDocuments(document, document)]).toEqual([name, []]);
      expect(document.events.length).toBeGreaterThan(200);
    }
  });

  it("are 261 webhooks, whose changes between two versions are found", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const [old, now] = [await readDocument(fileOf("12.0.3")), await readDocument(fileOf("12.1.0"))];
    expect(now.events).toHaveLength(261);
    const changes = diffDocuments(old, now);
    const breaking = changes.filter(({ severity }) => severity === "ERR");
    expect(breaking.map(({ rule, message }) => `${rule} ${message}`)).toContain(
      'value-added "duplicate"',
    );
    expect(changes.length).toBeGreaterThan(100);
  });
});
