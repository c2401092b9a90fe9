import { renameSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { FailureLogger, Outcome } from "@countersign/receiver";
import { type SqliteInbox, sqliteInbox } from "@countersign/receiver/sqlite";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { noDisk, smallDisk } from "../../../service/test/store/small-disk.ts";
import { NOON, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { sqliteInTest } from "./in-test.ts";

let path: string;
let inbox: SqliteInbox;
beforeEach(() => {
  path = join(temporaryFolder(), "inbox.db");
  inbox = sqliteInbox(path);
  onTestFinished(() => inbox.close());
});

const CAUSE = /inbox\.db(-wal)? was removed or replaced while the app ran; restart the app/;
const unavailable = {
  kind: "failed",
  code: "CS_INBOX_UNAVAILABLE",
  error: { message: expect.stringMatching(CAUSE) as string },
};

describe("a SQLite file that was moved away while the app runs", () => {
  const aside = (): void => renameSync(path, `${path}.old`);

  it("is not acknowledged for any event of a group, the log names the cause, and it works again once the file is back", async () => {
    const lines: string[] = [];
    const log: FailureLogger = { warn: () => undefined, error: (line) => lines.push(line) };
    const { send } = recordingReceiver({ inbox, log });
    expect((await send()).kind).toBe("handled");
    aside();
    const events = ["evt_1", "evt_2", "evt_3"].map((id) => refundAuthorized(id));
    const outcomes = await Promise.all([...events, undefined].map((event) => send(event)));
    expect(outcomes).toMatchObject([unavailable, unavailable, unavailable, unavailable]);
    expect(lines[0]).toMatch(CAUSE);
    renameSync(`${path}.old`, path);
    expect((await send(refundAuthorized("evt_4"))).kind).toBe("handled");
  });

  it("is not acknowledged for what a handler wrote in the transaction", async () => {
    const { receiver, send } = recordingReceiver({ inbox });
    receiver.on("refund.authorized", (_event, context) => {
      aside();
      // The inbox of this receiver is SQLite's.
      const { transaction } = context as unknown as ReturnType<SqliteInbox["begin"]>;
      transaction((database) => database.exec("CREATE TABLE ledger (id TEXT)"));
    });
    expect(await send()).toMatchObject(unavailable);
  });
});

const MODES = ["after-handler", "after-store"] as const;
const noRoom = {
  kind: "failed",
  // The statement that finds no room may be the handler's own.
  code: expect.stringMatching(/^CS_(?:INBOX_UNAVAILABLE|HANDLER_FAILED)$/) as string,
  error: { message: "database or disk is full" },
};

describe.each([
  ["whose disk is full", true],
  ["that has reached its page limit", false],
])("a SQLite file %s", (_how, isMounted) => {
  it.skipIf(isMounted && noDisk !== undefined).each(MODES)(
    "is answered 503 with the cause, loses nothing and works again once there is room, with acknowledge %s",
    async (acknowledge) => {
      const disk = isMounted ? smallDisk(16) : undefined;
      const file = disk === undefined ? inbox : sqliteInTest(join(disk.folder, "inbox.db"));
      let clock = NOON;
      const lines: string[] = [];
      const log = {
        warn: () => undefined,
        error: (line: string) => void lines.push(line),
      };
      const { receiver, send } = recordingReceiver({
        inbox: file,
        acknowledge,
        log,
        now: () => clock,
        ...(acknowledge === "after-store" && { workers: { pollMs: 5 } }),
      });
      let database: DatabaseSync | undefined;
      receiver.on("refund.authorized", ({ id }, context) => {
        // The inbox of this receiver is SQLite's.
        const { transaction } = context as unknown as ReturnType<SqliteInbox["begin"]>;
        transaction((opened) => {
          database = opened;
          opened.exec("CREATE TABLE IF NOT EXISTS ledger (id TEXT, text TEXT)");
          opened.prepare("INSERT INTO ledger VALUES (?, ?)").run(id, "x".repeat(2000));
        });
      });
      const ledger = (): unknown[] =>
        database
          ?.prepare("SELECT id FROM ledger ORDER BY id")
          .all()
          .map(({ id }) => id) ?? [];
      if (acknowledge === "after-store") receiver.start();
      onTestFinished(() => receiver.stop());
      const acknowledged = new Set<string>();
      const failed: Outcome[] = [];
      const sendAll = async (ids: readonly string[]): Promise<void> => {
        for (const outcome of await Promise.all(ids.map((id) => send(refundAuthorized(id)))))
          if ("key" in outcome && outcome.kind !== "in_progress") acknowledged.add(outcome.key.id);
          else failed.push(outcome);
      };
      await sendAll(["evt_0"]);
      await expect.poll(ledger).toEqual(["evt_0"]);

      disk?.fill();
      if (disk === undefined) database?.exec("PRAGMA max_page_count = 1");
      const ids = ["evt_0"];
      while (failed.length === 0) {
        const group = Array.from({ length: 8 }, (_, at) => `evt_${String(ids.length + at)}`);
        ids.push(...group);
        await sendAll(group);
      }
      expect(failed).toMatchObject(failed.map(() => noRoom));
      expect(lines.join()).toContain("database or disk is full");
      // What was written for an event is there exactly if its end is.
      if (acknowledge === "after-handler") expect(ledger()).toEqual([...acknowledged].toSorted());

      disk?.free();
      database?.exec("PRAGMA max_page_count = 1000000");
      clock += 60_000;
      await sendAll(ids);
      expect(acknowledged).toEqual(new Set(ids));
      await expect.poll(ledger).toEqual(ids.toSorted());
    },
  );
});

it("a SQLite file of another version is refused with its path and the columns that differ", () => {
  const other = new DatabaseSync(path);
  other.exec("ALTER TABLE countersign_events RENAME COLUMN digest TO hash");
  other.close();
  expect(() => sqliteInbox(path)).toThrow(
    /countersign_events of .*inbox\.db is of another version \(missing: digest; unknown: hash\)/,
  );
});
