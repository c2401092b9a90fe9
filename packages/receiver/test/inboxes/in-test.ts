import { join } from "node:path";
import { type SqliteInbox, sqliteInbox } from "@countersign/receiver/sqlite";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

/** A SQLite inbox in its own file that is closed and removed when the test ends. */
export function sqliteInTest(): SqliteInbox {
  const inbox = sqliteInbox(join(temporaryFolder(), "inbox.db"));
  onTestFinished(() => inbox.close());
  return inbox;
}
