import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Runs at the end of the running test, or of the file with vitest's `afterAll`. */
export type AtEnd = (cleanUp: () => void | Promise<void>) => void;

/** A new folder that is removed at the end, by default of the running test. */
export function temporaryFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
