import { expect, it } from "vitest";
import { migrate } from "../src/store/migrate.ts";
import { readBacklog } from "../src/store/tables/backlog.ts";
import { hookedDriver, type DriverHooks } from "./hooked-driver.ts";
import { insert } from "./store/rows.ts";
import { onStores, postgres, sqlite } from "./store/stores.ts";

const NOW = 1_000_000;

onStores([sqlite, postgres], ({ name, open }) => {
  it("the backlog counts waiting and due deliveries, excludes paused subscriptions and sandboxes from the due ones, and reads indexes only", async () => {
    const hooks: DriverHooks = {};
    const driver = hookedDriver(await open(), hooks);
    await migrate(driver, { now: 0 });
    await driver.transaction(async (tx) => {
      await tx.query("INSERT INTO clocks (id, instant) VALUES ('frozen', 0)");
      for (const [id, clock_id, status] of [
        ["a", "live", "ACTIVE"],
        ["b", "live", "ACTIVE"],
        ["c", "live", "PAUSED"],
        ["d", "frozen", "ACTIVE"],
      ] as const) {
        const owner = { merchant_id: id, clock_id };
        await insert(tx, "merchants", { id, clock_id });
        await insert(tx, "subscriptions", { key: id, ...owner, status });
        for (const [state, next_at] of [
          ["waiting", id === "b" ? NOW - 5000 : NOW - 2000],
          ["waiting", NOW + 1],
          ["exhausted", null],
          ["delivered", null],
        ] as const) {
          const event = { id: `${id}-${state}-${next_at}`, ...owner };
          await insert(tx, "events", event);
          const queue = { event_id: event.id, subscription_key: id };
          await insert(tx, "deliveries", { ...event, ...queue, state, next_at });
        }
      }
      await tx.query("INSERT INTO delivery_members (id, beat) VALUES ('p', 1)");
    });
    let text = "";
    hooks.statement = (sql) => {
      if (typeof sql === "string") text = sql;
    };
    expect(await readBacklog(driver, NOW)).toEqual({
      waiting: 8,
      due: 2,
      oldestDueMs: 5000,
      exhausted: 4,
      pausedSubscriptions: 1,
      pendingRefunds: 0,
      oldestDueRefundMs: 0,
      members: 1,
    });
    if (name !== "SQLite") return;
    const plan = await driver.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, [NOW]);
    const reads = plan.map(({ detail }) => detail);
    for (const index of [
      "deliveries_due",
      "deliveries_exhausted",
      "subscriptions_paused",
      "payments_due",
    ])
      expect(reads.join()).toContain(`INDEX ${index}`);
    const whole = /^SCAN (?:deliveries|subscriptions|payments)(?! USING)/;
    expect(reads.filter((line) => whole.test(line))).toEqual([]);
  });
});
