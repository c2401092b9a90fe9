import { createReceiver } from "@countersign/receiver";
import { type PostgresInbox, postgresInbox } from "@countersign/receiver/postgres";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ciAfter } from "../../../../test/tags.ts";
import { nameOf, NOON, refundAttempt, silent } from "../fixtures.ts";
import { describePostgres } from "./describe-postgres.ts";
import { type Cut, Relay } from "./relay.ts";
import { send } from "./transaction-tests.ts";

const TIMEOUT_MS = 1000;
/** For the tests whose first attempt fails anyway: a busy machine may be late as well. */
const SHORT_MS = 300;

describePostgres("a receiver over PostgreSQL", (server) => {
  let relay: Relay;
  let direct: Pool;
  let pool: Pool;
  let inbox: PostgresInbox;
  let hasty: PostgresInbox;
  const clock = { now: NOON };
  beforeAll(async () => {
    relay = await Relay.before(server());
    const database = await server().create();
    const to = { host: "127.0.0.1", database, user: "postgres" };
    direct = new Pool({ ...to, port: server().port });
    pool = new Pool({ ...to, port: relay.port, max: 8 });
    inbox = postgresInbox(pool, { schema: "shop", timeoutMs: TIMEOUT_MS });
    hasty = postgresInbox(pool, { schema: "shop", timeoutMs: SHORT_MS });
    await inbox.migrate();
    await direct.query("CREATE TABLE ledger (event text)");
  });
  beforeEach(async () => {
    relay.restore();
    clock.now = NOON;
    await direct.query("TRUNCATE ledger, shop.events");
  });
  afterAll(async () => {
    relay.stop();
    await Promise.all([pool.end(), direct.end()]);
  });

  const receiverOf = (
    options: {
      readonly inbox?: PostgresInbox;
      readonly limits?: { readonly answerMs: number };
      readonly acknowledge?: "after-handler" | "after-store";
      readonly order?: "none" | "per-resource";
    } = {},
  ) =>
    createReceiver({
      ...silent,
      inbox,
      limits: { answerMs: 3 * TIMEOUT_MS },
      lease: 5 * TIMEOUT_MS,
      now: () => clock.now,
      ...options,
    });
  const booking = (options: Parameters<typeof receiverOf>[0] = {}) =>
    receiverOf(options).on("PAYMENT", async ({ id }, { transaction }) => {
      await transaction.query("INSERT INTO ledger VALUES ($1)", [id]);
    });
  const booked = async () =>
    (await direct.query<{ event: string }>("SELECT event FROM ledger ORDER BY 1")).rows.map(
      ({ event }) => event,
    );

  const statements = [
    ["its claim", 'INSERT INTO "shop".events'],
    ["BEGIN", "BEGIN"],
    ["the transaction's settings", "set_config"],
    ["the handler's statement", "INSERT INTO ledger"],
    ["its completion", 'UPDATE "shop".events'],
    ["COMMIT", "COMMIT"],
  ] as const;
  const cuts: readonly Cut[] = ["cut after", "cut before", "hang before", "hang after"];
  for (const [index, cut] of cuts.entries())
    describe(`whose connection is: ${cut}`, { tags: ciAfter(1, index) }, () => {
      it.each(statements)("handles an event once, in %s", async (what, text) => {
        // Releases of the event of another test, which come late, have the completion's text.
        const id = `evt_${cut}_${what}`.replaceAll(/\W/g, "_");
        const isOwn = (sent: string): boolean => what !== "its completion" || sent.includes(id);
        const receiver = booking({ inbox: hasty, limits: { answerMs: 3 * SHORT_MS } });
        let isCut = false;
        relay.onSent = (sent) => {
          if (isCut || !sent.includes(text) || !isOwn(sent)) return "pass";
          isCut = true;
          return cut;
        };
        expect((await send(receiver, id)).kind).toBe("failed");
        expect(isCut).toBe(true);
        // The sender tries again, after the lease.
        const retried = async (): Promise<string> => {
          clock.now += 60_000;
          return (await send(receiver, id)).kind;
        };
        await expect.poll(retried).toMatch(/^(?:handled|duplicate)$/);
        expect(await booked()).toEqual([id]);
      });
    });

  it("works again after all its connections ended while nobody used them", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    onTestFinished(() => warned.mockRestore());
    const receiver = booking();
    await Promise.all(["evt_1", "evt_2", "evt_3"].map((id) => send(receiver, id)));
    expect(pool.idleCount).toBeGreaterThan(0);
    await direct.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    await vi.waitUntil(() => pool.totalCount === 0);
    expect((await send(receiver, "evt_4")).kind).toBe("handled");
  });

  it("warns of lost connections once a minute, and of the reason", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    onTestFinished(() => warned.mockRestore());
    const own = new Pool({ host: "127.0.0.1", port: 1, max: 2 });
    postgresInbox(own, { schema: "shop" });
    postgresInbox(own, { schema: "ledger" });
    for (let count = 0; count < 3; count += 1) own.emit("error", new Error("terminated"), {});
    expect(warned.mock.calls).toEqual([
      [expect.stringContaining("terminated"), { code: "CS_CONNECTION_LOST" }],
    ]);
  });

  it("survives a connection that is lost as the pool gives it", async () => {
    const receiver = receiverOf().on("PAYMENT", async ({ id }, { transaction }) => {
      pool.once("acquire", (client: PoolClient) => {
        queueMicrotask(() => void client.emit("error", new Error("lost")));
      });
      await transaction.query("INSERT INTO ledger VALUES ($1)", [id]);
    });
    // The connection itself is sound.
    expect((await send(receiver)).kind).toBe("handled");
  });

  it("frees a resource whose claim was left in a transaction that hangs", async () => {
    const receiver = receiverOf({ order: "per-resource" });
    relay.onSent = (sent) => (sent.includes("ORDER BY due_at DESC") ? "hang after" : "pass");
    expect(nameOf(await send(receiver))).toBe("CS_INBOX_UNAVAILABLE");
    relay.restore();
    const retried = async () => nameOf(await send(receiver, "evt_2"));
    await expect.poll(retried).toBe("unrouted");
  });

  it.each(["after-handler", "after-store"] as const)(
    "names the inbox as the cause while every old connection hangs, and handles all events soon after, with %s",
    { tags: "ci" },
    async (acknowledge) => {
      const handled = new Set<string>();
      const receiver = receiverOf({ acknowledge }).on("PAYMENT", ({ id }) => void handled.add(id));
      if (acknowledge === "after-store") receiver.start();
      onTestFinished(() => receiver.stop());
      const ids = (from: string) =>
        Array.from({ length: 300 }, (_, index) => `${from}_${String(index)}`);
      const sendAll = async (all: readonly string[]) =>
        (await Promise.all(all.map((id) => receiver.receive(refundAttempt(id))))).map(nameOf);
      // As many connections as the pool may have.
      await Promise.all(Array.from({ length: 8 }, () => pool.query("SELECT pg_sleep(0.05)")));
      relay.hang();
      const hanging = sendAll(ids("hanging"));
      await vi.waitUntil(() => pool.idleCount < pool.totalCount);
      relay.restore();
      expect(new Set(await hanging)).not.toContain("CS_RECEIVER_BUSY");
      const left = new Set([...ids("hanging"), ...ids("later")]);
      await vi.waitUntil(
        async () => {
          clock.now += 60_000;
          const sent = [...left];
          const names = await sendAll(sent);
          for (const [index, name] of names.entries())
            if (/^(?:handled|stored|duplicate)$/.test(name)) left.delete(sent[index] ?? "");
          return left.size === 0;
        },
        { timeout: 30_000 },
      );
      await vi.waitUntil(() => handled.size === 600, { timeout: 30_000 });
    },
  );
});
