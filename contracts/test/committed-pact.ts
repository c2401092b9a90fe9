import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Pact } from "@pact-foundation/pact";
import { afterAll } from "vitest";

/** Opens a pact in its own folder, so that it contains nothing of an earlier run. */
export function writtenPact({ consumer, provider }: { consumer: string; provider: string }) {
  const dir = mkdtempSync(join(tmpdir(), "countersign-written-"));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const name = `${consumer}-${provider}.json`;
  return {
    pact: new Pact({ consumer, provider, dir, logLevel: "error" }),
    /** Returns the text that was written so far. */
    text: () => readFileSync(join(dir, name), "utf8"),
    committed: fileURLToPath(new URL(`../pacts/${name}`, import.meta.url)),
  };
}
