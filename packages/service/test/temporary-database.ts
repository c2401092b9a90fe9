import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Path of a database file that exists as long as the running test does. */
export function temporaryDatabase(): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-service-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "service.db");
}
