import { describe, expect, it, onTestFinished } from "vitest";
import { DueRefunds } from "../../src/due-refunds.ts";
import { textOf } from "../../src/store/driver.ts";
import type { Merchant } from "../../src/store/tables/merchants.ts";
import { failCommit, failStatement } from "../hooked-driver.ts";
import { openService, subscription, type TestService } from "../open-service.ts";
import { lockRows } from "../store/rows.ts";
import { onStores, postgres } from "../store/stores.ts";
import { simulateDays } from "./simulated-days.ts";
import { askRefund } from "../../src/use-cases/ask-refund.ts";
import { settlePayment } from "../../src/use-cases/payments.ts";
import { moveDueRefunds } from "../../src/use-cases/refunds.ts";
import { subscribe } from "../../src/use-cases/subscriptions.ts";

const DAY_MS = 86_400_000;

const move = ({ context, clock }: TestService, clockId = "live") =>
  moveDueRefunds(context, { now: clock.now(), clockId });

/** Refunds that are due once 30 days have passed. @returns Their ids. */
async function dueRefunds(
  { context, pay, merchant: own }: TestService,
  count: number,
  merchant: Merchant = own,
): Promise<string[]> {
  const paymentId = await pay({ merchant });
  const order = { paymentId, amountCents: 1n, clientReferenceId: null, softDescriptor: null };
  const requested = Array.from({ length: count }, async (_, at) => {
    const requestKey = `${paymentId}-${at}`;
    const outcome = await askRefund(context, merchant, { ...order, requestKey });
    return outcome.ok ? outcome.refund.id : "";
  });
  const ids = await Promise.all(requested);
  await settlePayment(context, merchant, { paymentId });
  return ids;
}

async function statuses({ rows }: TestService): Promise<Record<string, unknown>> {
  const refunds = await rows("SELECT id, status FROM payments WHERE direction = 'CREDIT'");
  return Object.fromEntries(refunds.map(({ id, status }) => [String(id), status]));
}

const authorizedEvents = async ({ rows }: TestService): Promise<number> =>
  (await rows("SELECT id FROM events WHERE type = 'refund.authorized'")).length;

describe("due refunds", () => {
  it.each(["2026-03-05", "2026-10-29"])(
    "T-17 move at their threshold, to the millisecond, as the clocks change in the 8 days from %s",
    async (first) => {
      expect(await simulateDays(first, 8)).toEqual({ days: 8, refunds: 16, wrong: [] });
    },
  );

  it("all move, each with one event, in several batches, past as many that cannot move, and only on the given clock", async () => {
    const opened = await openService();
    await dueRefunds(opened, 201);
    await opened.write("UPDATE payments SET original_id = NULL WHERE direction = 'CREDIT'");
    opened.clock.advance(DAY_MS);
    await dueRefunds(opened, 201, await opened.addMerchant());
    opened.clock.advance(30 * DAY_MS);
    expect(await move(opened, "other")).toBe(0);
    const both = await Promise.allSettled([move(opened), move(opened)]);
    for (const one of both) expect(one).toMatchObject({ reason: { errors: { length: 201 } } });
    expect(await authorizedEvents(opened)).toBe(201);
  });

  it("T-34 are reported once, however many sweeps meet and whichever statement or COMMIT fails", async () => {
    const opened = await openService();
    await dueRefunds(opened, 5);
    opened.clock.advance(30 * DAY_MS);
    opened.hooks.commit = failCommit;
    await expect(move(opened)).rejects.toMatchObject({ code: "CS_STORE_UNAVAILABLE" });
    expect(await authorizedEvents(opened)).toBe(0);
    opened.hooks.commit = undefined;
    for (const number of [1, 2, 3, 4]) {
      opened.hooks.statement = failStatement(number);
      await expect(move(opened)).rejects.toThrow("the disk is broken");
    }
    opened.hooks.statement = undefined;
    await Promise.all([1, 2, 3].map(() => move(opened)));
    expect(await authorizedEvents(opened)).toBe(5);
  });

  it("do not move, and write no event, when they have changed since they were read", async () => {
    const opened = await openService();
    await dueRefunds(opened, 1);
    opened.clock.advance(30 * DAY_MS);
    await move(opened);
    const stale = await opened.rows(
      `SELECT id, merchant_id AS "merchantId", clock_id AS "clockId", direction,
        original_id AS "originalId", amount_cents AS "amountCents", 'PENDING' AS status, 0 AS "dueAt"
        FROM payments WHERE direction = 'CREDIT'`,
    );
    await opened.write("UPDATE payments SET due_at = 0 WHERE direction = 'CREDIT'");
    // The rows before a neighbour's COMMIT, as READ COMMITTED may show them.
    opened.hooks.rows = (sql, rows) => {
      if (!/due_at <= \$2/.test(textOf(sql, "sqlite"))) return rows;
      opened.hooks.rows = undefined;
      return stale;
    };
    await expect(move(opened)).rejects.toThrow(/^1 due .*changed under its lock/);
    expect(await authorizedEvents(opened)).toBe(1);
  });
});

it("due refunds that cannot move are skipped each time, also when their event cannot be written, and the others move", async () => {
  const opened = await openService();
  const ids = await dueRefunds(opened, 5);
  const changes = ["original_id = NULL", "status = 'ODD'", "status = 'AUTHORIZED'"];
  for (const [at, change] of changes.entries())
    await opened.write(`UPDATE payments SET ${change} WHERE id = $1`, ids[at] ?? "");
  const other = await opened.addMerchant();
  const unwritable = await dueRefunds(opened, 2, other);
  await subscribe(opened.context, other, subscription);
  await opened.write("UPDATE subscriptions SET selection = 'no JSON'");
  opened.clock.advance(30 * DAY_MS);
  for (const _ of ["first", "second"]) {
    const failure: unknown = await move(opened).catch((error: unknown) => error);
    expect(failure).toMatchObject({ errors: { length: 5 } });
    expect((failure as AggregateError).errors.map(String)).toContain(
      `Error: refund ${ids[2]} is due and AUTHORIZED`,
    );
  }
  const after = await statuses(opened);
  const expected = ["PENDING", "ODD", "AUTHORIZED", "AUTHORIZED", "AUTHORIZED"];
  expect(ids.map((id) => after[id])).toEqual(expected);
  expect(unwritable.map((id) => after[id])).toEqual(["PENDING", "PENDING"]);
  expect(await authorizedEvents(opened)).toBe(2);
});

onStores([postgres], ({ create, open }) => {
  it("due refunds move while a call has locked one of them, which moves once it is free", async () => {
    const address = await create();
    const opened = await openService({ driver: await open(address) });
    const [locked = ""] = await dueRefunds(opened, 3);
    opened.clock.advance(30 * DAY_MS);
    const row = `SELECT id FROM payments WHERE id = '${locked}'`;
    const letGo = await lockRows(await open(address), row);
    expect(await move(opened)).toBe(2);
    await letGo();
    expect(await move(opened)).toBe(1);
  }, 30_000);
});

describe("a process that moves due refunds", () => {
  it("reports refunds that cannot move once a minute, and moves what is due after them", async () => {
    const opened = await openService();
    const [poison = ""] = await dueRefunds(opened, 1);
    await opened.write("UPDATE payments SET original_id = NULL WHERE id = $1", poison);
    opened.clock.advance(30 * DAY_MS);
    const failures = startMoving(opened);
    await expect.poll(() => failures.length).toBe(1);
    expect(String(failures[0])).toContain(`${poison} has no original`);
    const [good = ""] = await dueRefunds(opened, 1, await opened.addMerchant());
    await opened.write("UPDATE payments SET due_at = 0 WHERE id = $1", good);
    await expect.poll(async () => (await statuses(opened))[good]).toBe("AUTHORIZED");
    expect(failures).toHaveLength(1);
    opened.clock.advance(60_000);
    await expect.poll(() => failures.length).toBe(2);
  });

  it("continues after a failure of the store, and reports it", async () => {
    const opened = await openService();
    const [refund = ""] = await dueRefunds(opened, 1);
    opened.clock.advance(30 * DAY_MS);
    opened.hooks.commit = failCommit;
    const failures = startMoving(opened);
    await expect.poll(() => failures.length).toBeGreaterThan(0);
    expect(failures[0]).toMatchObject({ code: "CS_STORE_UNAVAILABLE" });
    opened.hooks.commit = undefined;
    await expect.poll(async () => (await statuses(opened))[refund]).toBe("AUTHORIZED");
  });
});

/** Moves the live refunds of a service until the test ends. @returns The failures that it reports. */
function startMoving({ context }: TestService): unknown[] {
  const failures: unknown[] = [];
  const failed = (error: unknown): unknown => failures.push(error);
  const moving = new DueRefunds({ context, pollMs: 2, failed });
  onTestFinished(() => moving.stop());
  moving.start();
  return failures;
}
