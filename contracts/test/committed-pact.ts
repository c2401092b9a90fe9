import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Pact } from "@pact-foundation/pact";
import { afterAll } from "vitest";

export interface Written {
  readonly pact: Pact;
  /** The text that was written so far. */
  readonly text: () => string;
  /** Where the committed pact stands. */
  readonly committed: string;
}

/** A pact that is written anew, into a folder of its own: nothing of an earlier run is in it. */
export function writtenPact({
  consumer,
  provider,
}: {
  consumer: string;
  provider: string;
}): Written {
  const dir = mkdtempSync(join(tmpdir(), "countersign-written-"));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const name = `${consumer}-${provider}.json`;
  return {
    pact: new Pact({ consumer, provider, dir, logLevel: "error" }),
    text: () => readFileSync(join(dir, name), "utf8"),
    committed: fileURLToPath(new URL(`../pacts/${name}`, import.meta.url)),
  };
}
