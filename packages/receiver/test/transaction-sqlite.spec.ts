import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { createReceiver } from "@countersign/receiver";
import {
  type SqliteInbox,
  sqliteInbox,
  type SqliteTransaction,
} from "@countersign/receiver/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOON, silent } from "./fixtures.ts";
import { send, transactionTests } from "./inboxes/transaction-tests.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

let shop: DatabaseSync;
let inbox: SqliteInbox;
const clock = { now: NOON };
beforeEach(() => {
  const path = join(temporaryFolder(), "shop.db");
  shop = new DatabaseSync(path);
  shop.exec("CREATE TABLE ledger (event TEXT NOT NULL)");
  inbox = sqliteInbox({ path });
  clock.now = NOON;
});
afterEach(() => {
  inbox.close();
  shop.close();
});

const receiverOf = (
  handler: (id: string, transaction: SqliteTransaction) => void | Promise<void>,
) =>
  createReceiver({ ...silent, inbox, now: () => clock.now }).on(
    "refund.authorized",
    (event, { transaction }) => handler(event.id, transaction),
  );
const book =
  (id: string) =>
  (database: DatabaseSync): void =>
    void database.prepare("INSERT INTO ledger VALUES (?)").run(id);
const booked = (): unknown[] =>
  shop
    .prepare("SELECT event FROM ledger ORDER BY event")
    .all()
    .map(({ event }) => event);

describe("a handler's writes in SQLite", () => {
  transactionTests(() => ({
    clock,
    booked: () => Promise.resolve(booked()),
    receiverOf: (handler) =>
      receiverOf(async (event, transaction) => {
        await handler(event, (id) => transaction(book(id)));
      }),
  }));

  it("are flushed to the disk before the event is acknowledged", async () => {
    let pragmas: unknown[] = [];
    const receiver = receiverOf((_id, transaction) =>
      transaction((database) => {
        pragmas = ["journal_mode", "synchronous"].map((name) =>
          Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {}),
        );
      }),
    );
    await send(receiver);
    const FULL = 2;
    expect(pragmas).toEqual([["wal"], [FULL]]);
  });

  it("are undone when they fail, which frees the event and leaves others of the group committed", async () => {
    let fails = true;
    const receiver = receiverOf((id, transaction) =>
      transaction((database) => {
        book(id)(database);
        if (fails && id === "evt_1") throw new Error("constraint");
      }),
    );
    const [bad, good] = await Promise.all(["evt_1", "evt_2"].map((id) => send(receiver, id)));
    expect(bad).toMatchObject({ code: "CS_HANDLER_FAILED", error: { message: "constraint" } });
    expect(good?.kind).toBe("handled");
    expect(booked()).toEqual(["evt_2"]);
    fails = false;
    expect((await send(receiver)).kind).toBe("handled");
  });

  it("are rejected as a promise, which would keep the write transaction open", async () => {
    const receiver = receiverOf((id, transaction) =>
      // oxlint-disable-next-line typescript/no-misused-promises -- what is refused
      transaction(async (database) => {
        book(id)(database);
        await Promise.resolve();
      }),
    );
    const message: unknown = expect.stringContaining("synchronous");
    const failure = { code: "CS_HANDLER_FAILED", error: { message } };
    expect(await send(receiver)).toMatchObject(failure);
    expect(booked()).toEqual([]);
  });

  it("are one function per event, passed before the handler ends", async () => {
    let late: SqliteTransaction | undefined;
    const receiver = receiverOf((id, transaction) => {
      late = transaction;
      transaction(book(id));
      if (id === "evt_1") transaction(book(id));
    });
    expect(await send(receiver)).toMatchObject({ error: expect.any(TypeError) as TypeError });
    expect((await send(receiver, "evt_2")).kind).toBe("handled");
    expect(() => late?.(book("evt_2"))).toThrow(TypeError);
    expect(booked()).toEqual(["evt_2"]);
  });
});
