import { once } from "node:events";
import { createReceiver, type Outcome } from "@countersign/receiver";
import {
  type PostgresClient,
  type PostgresInbox,
  postgresInbox,
  type PostgresTransaction,
} from "@countersign/receiver/postgres";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { nameOf, NOON, silent } from "./fixtures.ts";
import { describePostgres } from "./inboxes/describe-postgres.ts";
import { send, transactionTests } from "./inboxes/transaction-tests.ts";

describePostgres("a handler's writes in PostgreSQL, with a pool of 2", (server) => {
  let pool: Pool;
  let inbox: PostgresInbox;
  const clock = { now: NOON };
  beforeAll(async () => {
    pool = new Pool({ connectionString: server().urlOf(await server().create()), max: 2 });
    pool.on("error", () => undefined);
    inbox = postgresInbox(pool, { schema: "shop" });
    await inbox.migrate();
    await pool.query("CREATE TABLE ledger (event text PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)");
  });
  afterAll(() => pool.end());
  const reported: Outcome[] = [];
  beforeEach(async () => {
    clock.now = NOON;
    reported.length = 0;
    await pool.query("TRUNCATE ledger, shop.events");
  });

  type Run = (id: string, transaction: PostgresTransaction) => Promise<unknown>;
  const receiverOf = (run: Run, { answerMs = 10_000, lease = 60_000 } = {}) =>
    createReceiver({
      ...silent,
      inbox,
      limits: { answerMs },
      lease,
      onOutcome: (outcome) => void reported.push(outcome),
      now: () => clock.now,
    }).on("refund.authorized", async (event, { transaction }) => {
      await run(event.id, transaction);
    });
  const book: Run = (id, { query }) => query("INSERT INTO ledger VALUES ($1)", [id]);
  const booked = async (): Promise<string[]> => {
    const { rows } = await pool.query<{ event: string }>("SELECT event FROM ledger ORDER BY 1");
    return rows.map(({ event }) => event);
  };

  transactionTests(() => ({
    clock,
    booked,
    receiverOf: (handler) =>
      receiverOf(async (event, transaction) => handler(event, (id) => book(id, transaction))),
  }));

  it("fail the event when COMMIT refuses them, and the event is free again", async () => {
    await pool.query("INSERT INTO ledger VALUES ('evt_1')");
    const receiver = receiverOf(book);
    const outcome = await send(receiver);
    expect(outcome).toMatchObject({ code: "CS_HANDLER_FAILED", error: { code: "23505" } });
    await pool.query("TRUNCATE ledger");
    expect((await send(receiver)).kind).toBe("handled");
  });

  it("fail the event when the handler ignores a failed query", async () => {
    const receiver = receiverOf(async (id, transaction) => {
      await book(id, transaction);
      await transaction.query("SELECT no_such_column").catch(() => undefined);
    });
    const outcome = await send(receiver);
    expect(outcome).toMatchObject({
      code: "CS_HANDLER_FAILED",
      error: { cause: { code: "25P02" } },
    });
    expect(outcome).toHaveProperty("error.message", expect.stringContaining("let its error reach"));
    expect(await booked()).toEqual([]);
  });

  it("[R-ACK-FAILED] fail the event when PostgreSQL rolls them back at COMMIT", async () => {
    const receiver = receiverOf(async (id, transaction) => {
      // The pool's own client: nobody counts its statements.
      const acquired = once(pool, "acquire") as Promise<[PoolClient]>;
      await book(id, transaction);
      const [client] = await acquired;
      // The second statement fails after the event's completion, before COMMIT.
      void client
        .query("SELECT 1")
        .then(() => client.query("SELECT no_such_column"))
        .catch(() => undefined);
    });
    const outcome = await send(receiver);
    expect(outcome).toMatchObject({ code: "CS_HANDLER_FAILED" });
    expect(outcome).toHaveProperty("error.message", expect.stringMatching(/rolled .* back/));
    expect(await booked()).toEqual([]);
    expect((await send(receiverOf(book))).kind).toBe("handled");
  });

  it.each<[string, (client: PostgresClient, id: string) => unknown]>([
    ["a promise", (client) => client.query("SELECT pg_sleep(0.05)")],
    [
      "a callback",
      (client) => (client as PoolClient).query("SELECT pg_sleep(0.05)", () => undefined),
    ],
  ])("fail the event while a statement of client() with %s still runs", async (_what, start) => {
    let kept: PostgresClient | undefined;
    const receiver = receiverOf(async (id, transaction) => {
      const client = await transaction.client();
      kept = client as PostgresClient;
      await kept.query("INSERT INTO ledger VALUES ($1)", [id]);
      void Promise.resolve(start(kept, id)).catch(() => undefined);
    });
    const outcome = await send(receiver);
    expect(outcome).toMatchObject({ code: "CS_HANDLER_FAILED" });
    expect(outcome).toHaveProperty("error.message", expect.stringContaining("await each query"));
    expect(await booked()).toEqual([]);
    await expect(kept?.query("SELECT 1")).rejects.toThrow(/handler has ended/);
  });

  it("survive a handler that releases client() and reads its properties", async () => {
    const receiver = receiverOf(async (id, transaction) => {
      const client = (await transaction.client()) as PoolClient;
      expect(client.listenerCount("error")).toBeGreaterThan(0);
      await client.query("INSERT INTO ledger VALUES ($1)", [id]);
      client.release();
    });
    expect((await send(receiver)).kind).toBe("handled");
    expect(await booked()).toEqual(["evt_1"]);
  });

  it("of a handler that hangs in a query are undone when its lease ends, and its connection is given up", async () => {
    const run: Run = async (id, transaction) => {
      await book(id, transaction);
      await transaction.query("SELECT pg_sleep(30)");
    };
    const receiver = receiverOf(run, { answerMs: 400, lease: 1500 });
    expect(await send(receiver)).toMatchObject({ code: "CS_HANDLER_TIMEOUT" });
    // Another process has free handlers; this one's only slot is taken.
    expect((await send(receiverOf(book))).kind).toBe("in_progress");
    // The query's time limit is the lease's: whichever ends first names the outcome.
    const outcome = /^CS_(?:CLAIM_LOST|HANDLER_FAILED)$/;
    await expect.poll(() => reported.map(nameOf).at(-1)).toMatch(outcome);
    clock.now += 1500;
    expect(await booked()).toEqual([]);
    expect((await send(receiverOf(book))).kind).toBe("handled");
    expect(await booked()).toEqual(["evt_1"]);
  });

  it("are rejected after the handler has ended", async () => {
    let late: PostgresTransaction | undefined;
    const receiver = receiverOf(async (id, transaction) => {
      late = transaction;
      await book(id, transaction);
    });
    await send(receiver);
    await expect(late?.query("SELECT 1")).rejects.toThrow(TypeError);
  });

  it("cannot be committed or rolled back by a statement of the handler", async () => {
    const texts = ["COMMIT", " rollback", "BEGIN", "End;", "ROLLBACK WORK", "; COMMIT"];
    const hidden = ["/* a */ COMMIT", "-- a\nCOMMIT", "SELECT 1; COMMIT", "SELECT '\\'; COMMIT"];
    for (const text of [...texts, ...hidden, "SELECT $a$;$a$, E'\\';', 1; COMMIT;"]) {
      const receiver = receiverOf((_id, transaction) => transaction.query(text));
      expect(await send(receiver)).toMatchObject({ error: expect.any(TypeError) as TypeError });
    }
    const receiver = receiverOf(async (_id, transaction) => {
      await transaction.query("SAVEPOINT a");
      await transaction.query("ROLLBACK TO SAVEPOINT a");
      await transaction.query("SELECT ';a', E'\\';a', $a$;a$a$, 1 AS \";a\" -- ;a\n/* ;a */ ; ");
    });
    expect((await send(receiver)).kind).toBe("handled");
  });

  it("are undone when their connection is killed", async () => {
    const receiver = receiverOf(async (id, transaction) => {
      await book(id, transaction);
      const { rows } = await transaction.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      await pool.query("SELECT pg_terminate_backend($1)", [rows[0]?.pid]);
    });
    const outcome = await send(receiver);
    expect(outcome.kind).toBe("failed");
    expect(await booked()).toEqual([]);
  });

  it("never deadlock with queries of the handlers on the same pool", async () => {
    const receiver = receiverOf(async (id, transaction) => {
      await book(id, transaction);
      await pool.query("SELECT 1");
      await transaction.query("SELECT 1");
      await pool.query("SELECT 2");
    });
    const ids = Array.from({ length: 12 }, (_, index) => `evt_${String(index).padStart(2, "0")}`);
    const handled = new Set<string>();
    // Events that meet a busy receiver are sent again, as by a provider.
    for (let round = 0; round < ids.length && handled.size < ids.length; round += 1) {
      const left = ids.filter((id) => !handled.has(id));
      const outcomes = await Promise.all(left.map((id) => send(receiver, id)));
      for (const [index, { kind }] of outcomes.entries())
        if (kind === "handled") handled.add(left[index] ?? "");
    }
    expect([...handled].toSorted()).toEqual(ids);
    expect(await booked()).toEqual(ids);
  });

  it("need fewer concurrent handlers than the pool has connections", () => {
    const create = (options: object): unknown => createReceiver({ ...silent, inbox, ...options });
    expect(() => create({ limits: { concurrentHandlers: 2 } })).toThrow(/pool allows 1/);
    expect(() => create({ acknowledge: "after-store", workers: { concurrency: 2 } })).toThrow(
      /pool allows 1/,
    );
    expect(() => create({ limits: { concurrentHandlers: 1 } })).not.toThrow();
  });
});
