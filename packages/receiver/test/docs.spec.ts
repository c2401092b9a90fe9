import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { secret } from "./fixtures.ts";

const docs = fileURLToPath(new URL("../docs/", import.meta.url));
const output = fileURLToPath(new URL("output/docs/", import.meta.url));
const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm;

interface Page {
  readonly name: string;
  readonly languages: readonly string[];
  readonly code: string;
}

/** A page's blocks are one module: later ones go on where earlier ones ended. */
function pageOf(name: string): Page {
  const blocks = [...readFileSync(docs + name, "utf8").matchAll(FENCE)];
  return {
    name,
    languages: blocks.map(([, language = ""]) => language),
    code: blocks.map(([, , code = ""]) => code).join("\n"),
  };
}

/** The page's module, written where Node.js finds the packages and nobody keeps it. */
function written({ name, code }: Page): string {
  mkdirSync(output, { recursive: true });
  const file = `${output}${name.replace(/\.md$/, ".ts")}`;
  writeFileSync(file, code);
  return file;
}

const own = [
  "rotation.md",
  "many-tenants.md",
  "production.md",
  "migrating.md",
  "testing.md",
  "inboxes.md",
  "transactions.md",
  "order.md",
];
const pages = own.map(pageOf);

describe("the documents", () => {
  it("are all here", () => {
    expect(globSync("*.md", { cwd: docs })).toEqual(expect.arrayContaining(own));
  });

  it.each(pages)("have code in $name, all of it TypeScript that runs", ({ languages }) => {
    expect(new Set(languages)).toEqual(new Set(["ts"]));
  });
});

describe("the code of", () => {
  const runnable = pages.filter(({ name }) => name !== "testing.md");

  it.each(runnable)("$name runs, and its assertions hold", async (page) => {
    expect(page.code).toContain("assert.");
    const folder = mkdtempSync(join(tmpdir(), "countersign-docs-"));
    vi.stubEnv("WEBHOOK_SECRET", secret);
    // What a page writes is gone with it.
    vi.stubEnv("TMPDIR", folder);
    try {
      await import(written(page));
    } finally {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

// The page holds tests: importing it here makes them tests of this file.
describe("the tests of testing.md", async () => {
  await import(written(pageOf("testing.md")));
});
