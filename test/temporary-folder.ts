import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** Runs at the end of the running test, or of the file with vitest's `afterAll`. */
export type AtEnd = (cleanUp: () => void | Promise<void>) => void;

/** A new folder that is removed at the end, by default of the running test. */
export function temporaryFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs what it is given at the end of a file or of a `describe`, the last one first. */
export function atEndOfFile(): AtEnd {
  const ends: Parameters<AtEnd>[0][] = [];
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });
  return (end) => void ends.push(end);
}
