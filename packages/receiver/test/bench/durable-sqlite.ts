import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type SqliteInbox, sqliteInbox } from "@countersign/receiver/sqlite";
import type { DurableStore } from "./durable-store.ts";

/** A file of its own: WAL and `synchronous=FULL`, for the inbox and for the loops. */
export function sqliteStore(): DurableStore<SqliteInbox> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const inbox = sqliteInbox(join(folder, "inbox.db"));
  const book = "CREATE TABLE booked (id TEXT NOT NULL PRIMARY KEY) STRICT";
  const beside = new DatabaseSync(join(folder, "inbox.db"));
  beside.exec(book);
  beside.close();
  const bare = new DatabaseSync(join(folder, "bare.db"));
  bare.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${book};` +
      "CREATE TABLE rows (id TEXT NOT NULL PRIMARY KEY, state TEXT NOT NULL, body TEXT) STRICT",
  );
  const insert = bare.prepare("INSERT INTO rows (id, state, body) VALUES (?, ?, ?)");
  const update = bare.prepare("UPDATE rows SET state = 'handled', body = NULL WHERE id = ?");
  const insertBooked = bare.prepare("INSERT INTO booked (id) VALUES (?)");

  let waiting: { readonly write: () => void; readonly done: () => void }[] = [];
  const together = (write: () => void): Promise<void> =>
    new Promise((done) => {
      waiting.push({ write, done });
      if (waiting.length > 1) return;
      setImmediate(() => {
        const group = waiting;
        waiting = [];
        bare.exec("BEGIN IMMEDIATE");
        for (const one of group) one.write();
        bare.exec("COMMIT");
        for (const one of group) one.done();
      });
    });

  return {
    name: "SQLite, FULL",
    inbox,
    insertTogether: ({ id, body }) => together(() => void insert.run(id, "received", body)),
    insertAlone({ id, body }) {
      bare.exec("BEGIN IMMEDIATE");
      insert.run(id, "received", body);
      bare.exec("COMMIT");
      return Promise.resolve();
    },
    async claimAndBook({ id }) {
      await together(() => void insert.run(id, "claimed", null));
      await together(() => {
        update.run(id);
        insertBooked.run(id);
      });
    },
    book: (id, write) => {
      write((file) => void file.prepare("INSERT INTO booked (id) VALUES (?)").run(id));
    },
    close() {
      inbox.close();
      bare.close();
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}
