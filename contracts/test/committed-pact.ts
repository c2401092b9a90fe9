import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Pact } from "@pact-foundation/pact";
import { afterAll } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";

/** Opens a pact in its own folder, so that it contains nothing of an earlier run. */
export function writtenPact({ consumer, provider }: { consumer: string; provider: string }) {
  const dir = temporaryFolder(afterAll);
  const name = `${consumer}-${provider}.json`;
  return {
    pact: new Pact({ consumer, provider, dir, logLevel: "error" }),
    text: () => readFileSync(join(dir, name), "utf8"),
    committed: fileURLToPath(new URL(`../pacts/${name}`, import.meta.url)),
  };
}
