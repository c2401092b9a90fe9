import { describe, expect, it } from "vitest";
import { createDeliveryEngine } from "../../src/delivery/delivery-engine.ts";
import { systemRandom } from "../../src/random.ts";
import type { Merchant } from "../../src/store/records.ts";
import type { PassedOverRefund } from "../../src/use-cases/move-due-refunds.ts";
import { FailingDriver } from "../failing-driver.ts";
import { ManualClock } from "../manual-clock.ts";
import { answered, fakeTransport, policy } from "../delivery/queue.ts";
import { SOON } from "../delivery/soon.ts";
import { openService, type TestService } from "../open-service.ts";
import { newPayment } from "../payments.ts";
import { testVault } from "../test-vault.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Refunds that are due once 30 days have passed. @returns Their ids. */
async function dueRefunds(
  { service }: TestService,
  merchant: Merchant,
  count: number,
): Promise<string[]> {
  const paymentId = await newPayment(service, merchant);
  const asked = Array.from({ length: count }, async (_, i) => {
    const outcome = await service.useCases.askRefund(merchant, {
      paymentId,
      amountCents: 1n,
      requestKey: `${merchant.id}-${i}`,
      clientReferenceId: null,
      softDescriptor: null,
    });
    return outcome.ok ? outcome.refund.id : "";
  });
  const ids = await Promise.all(asked);
  await service.useCases.settlePayment(merchant, { paymentId });
  return ids;
}

const write = ({ service }: TestService, sql: string, id = ""): Promise<unknown> =>
  service.driver.transaction((tx) => tx.query(sql, sql.includes("$1") ? [id] : []));

async function statuses({ service }: TestService): Promise<Record<string, string>> {
  const rows = await service.driver.query<{ id: string; status: string }>(
    "SELECT id, status FROM payments WHERE direction = 'CREDIT'",
  );
  return Object.fromEntries(rows.map(({ id, status }) => [id, status]));
}

async function authorizedEvents({ service }: TestService): Promise<number> {
  const rows = await service.driver.query("SELECT id FROM events WHERE type = 'refund.authorized'");
  return rows.length;
}

describe("a due refund that cannot be moved", () => {
  it.each([
    ["names no original", "UPDATE payments SET original_id = NULL WHERE id = $1"],
    ["has a status of its own", "UPDATE payments SET status = 'ODD' WHERE id = $1"],
    ["is AUTHORIZED already", "UPDATE payments SET status = 'AUTHORIZED' WHERE id = $1"],
  ])("since it %s is passed over, and the others move", async (_, sql) => {
    const open = await openService();
    const ids = await dueRefunds(open, open.merchant, 5);
    const poison = ids[2] ?? "";
    await write(open, sql, poison);
    const before = (await statuses(open))[poison];
    open.clock.advance(30 * DAY_MS);
    for (const moved of [4, 0]) {
      const due = { now: open.clock.now(), clockId: "live" };
      const outcome = await open.service.useCases.moveDueRefunds(due);
      expect(outcome.moved).toBe(moved);
      expect(outcome.passedOver.map(({ id }) => id)).toEqual([poison]);
    }
    const { [poison]: left, ...others } = await statuses(open);
    expect(left).toBe(before);
    expect(Object.values(others)).toEqual(Array.from({ length: 4 }, () => "AUTHORIZED"));
    expect(await authorizedEvents(open)).toBe(4);
  });

  it("since its event cannot be written is passed over, without a half of it", async () => {
    const open = await openService();
    const other = await open.addMerchant();
    const poisoned = await dueRefunds(open, other, 2);
    await open.service.useCases.subscribe(other, {
      url: "https://merchant.example/",
      secretKey: "correct-horse-battery-staple",
      subscriptionDetails: { type: "ALL" },
    });
    await write(open, "UPDATE subscriptions SET selection = 'no JSON'");
    await dueRefunds(open, open.merchant, 3);
    open.clock.advance(30 * DAY_MS);
    const due = { now: open.clock.now(), clockId: "live" };
    const outcome = await open.service.useCases.moveDueRefunds(due);
    expect(outcome.moved).toBe(3);
    expect(outcome.passedOver.map(({ id }) => id).toSorted()).toEqual(poisoned.toSorted());
    expect(await authorizedEvents(open)).toBe(3);
    const after = await statuses(open);
    expect(poisoned.map((id) => after[id])).toEqual(["PENDING", "PENDING"]);
  });

  it("never blocks what is due after it, also where more than a batch are so", async () => {
    const open = await openService();
    await dueRefunds(open, open.merchant, 201);
    await write(open, "UPDATE payments SET original_id = NULL WHERE direction = 'CREDIT'");
    open.clock.advance(DAY_MS);
    const [good = ""] = await dueRefunds(open, await open.addMerchant(), 1);
    open.clock.advance(30 * DAY_MS);
    const due = { now: open.clock.now(), clockId: "live" };
    const outcome = await open.service.useCases.moveDueRefunds(due);
    expect([outcome.moved, outcome.passedOver.length]).toEqual([1, 201]);
    expect((await statuses(open))[good]).toBe("AUTHORIZED");
  });

  it("is not one that the store did not take: that is thrown, and moves later", async () => {
    let driver: FailingDriver | undefined;
    const open = await openService({ wrap: (inner) => (driver = new FailingDriver(inner)) });
    if (driver === undefined) throw new Error("no driver");
    await dueRefunds(open, open.merchant, 2);
    open.clock.advance(30 * DAY_MS);
    const due = { now: open.clock.now(), clockId: "live" };
    driver.failCommit = true;
    await expect(open.service.useCases.moveDueRefunds(due)).rejects.toMatchObject({
      code: "CS_STORE_UNAVAILABLE",
    });
    driver.failCommit = false;
    expect(await open.service.useCases.moveDueRefunds(due)).toEqual({ moved: 2, passedOver: [] });
  });
});

describe("the delivery engine", () => {
  /** An engine over a service's database that keeps what it is told. */
  function engineOf({ service }: TestService, clock: ManualClock) {
    const told: PassedOverRefund[] = [];
    const engine = createDeliveryEngine({
      vault: testVault(),
      driver: service.driver,
      clock,
      random: systemRandom,
      transport: fakeTransport(() => answered(204)),
      sign: () => ({}),
      endpoints: { allowLoopback: false },
      userAgent: "Countersign/test",
      policy,
      moveDueRefunds: service.useCases.moveDueRefunds,
      observer: { passedOver: (refund) => told.push(refund) },
      pollMs: 2,
    });
    return { engine, told };
  }

  it("tells of such a refund once a minute, and moves what comes to be due after it", async () => {
    const open = await openService();
    const [poison = ""] = await dueRefunds(open, open.merchant, 1);
    await write(open, "UPDATE payments SET original_id = NULL WHERE id = $1", poison);
    open.clock.advance(30 * DAY_MS);
    const { engine, told } = engineOf(open, open.clock);
    engine.start();
    await expect.poll(() => told.length, SOON).toBe(1);
    expect(told[0]?.id).toBe(poison);
    expect(String(told[0]?.error)).toContain("no original");

    const [good = ""] = await dueRefunds(open, await open.addMerchant(), 1);
    await write(open, "UPDATE payments SET due_at = 0 WHERE id = $1", good);
    await expect.poll(async () => (await statuses(open))[good], SOON).toBe("AUTHORIZED");
    expect(told).toHaveLength(1);
    open.clock.advance(MINUTE_MS);
    await expect.poll(() => told.length, SOON).toBe(2);
    await engine.stop();
  });

  it("moves a sandbox clock past it, and the others on the way", async () => {
    const open = await openService();
    const { driver, useCases } = open.service;
    const start = open.clock.now();
    const made = await useCases.createMerchant({
      name: "Sandbox",
      clock: { instant: start },
      scopes: ["payments"],
    });
    if (!made.ok) throw new Error(made.code);
    const { merchant } = made;
    const [poison = "", good = ""] = await dueRefunds(open, merchant, 2);
    await write(open, "UPDATE payments SET original_id = NULL WHERE id = $1", poison);
    const { engine, told } = engineOf(open, open.clock);
    const to = start + 7 * DAY_MS;
    expect(await engine.advanceClock(merchant.clockId, to)).toMatchObject({ ok: true, now: to });
    expect(told.map(({ id }) => id)).toEqual([poison]);
    expect((await statuses(open))[good]).toBe("AUTHORIZED");
    expect(await driver.query("SELECT instant FROM clocks WHERE instant = $1", [to])).toHaveLength(
      1,
    );
    await engine.stop();
  });
});
