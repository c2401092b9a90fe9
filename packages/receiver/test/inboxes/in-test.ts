import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SqliteInbox, sqliteInbox } from "@countersign/receiver/sqlite";
import { onTestFinished } from "vitest";

/** A temporary folder that is removed when the test ends. */
export function folderInTest(): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-inbox-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A SQLite inbox in its own file that is closed and removed when the test ends. */
export function sqliteInTest(): SqliteInbox {
  const inbox = sqliteInbox(join(folderInTest(), "inbox.db"));
  onTestFinished(() => inbox.close());
  return inbox;
}
