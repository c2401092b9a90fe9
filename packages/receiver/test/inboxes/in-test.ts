import { join } from "node:path";
import { type SqliteInbox, sqliteInbox } from "@countersign/receiver/sqlite";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

/** A SQLite inbox in its own file, or in this one, that is closed and removed when the test ends. */
export function sqliteInTest(path = join(temporaryFolder(), "inbox.db")): SqliteInbox {
  const inbox = sqliteInbox(path);
  onTestFinished(() => inbox.close());
  return inbox;
}
