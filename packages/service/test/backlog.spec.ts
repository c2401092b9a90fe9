import { expect, it } from "vitest";
import { readBacklog } from "../src/store/tables/backlog.ts";
import { queueOf } from "./delivery/queue.ts";
import { hookedDriver, type DriverHooks } from "./hooked-driver.ts";
import { onStores, postgres, sqlite } from "./store/stores.ts";

const NOW = 1_000_000;

onStores([sqlite, postgres], ({ name, open }) => {
  it("the backlog counts waiting and due deliveries, excludes paused subscriptions and sandboxes from the due ones, and reads indexes only", async () => {
    const hooks: DriverHooks = {};
    const driver = hookedDriver(await open(), hooks);
    const queue = await queueOf(driver);
    const states = ["waiting", "waiting", "exhausted", "delivered"];
    for (const [key, clockId, status, overdueMs] of [
      ["a", "live", "ACTIVE", 2000],
      ["b", "live", "ACTIVE", 5000],
      ["c", "live", "PAUSED", 9000],
      ["d", "clk_1", "ACTIVE", 9000],
    ] as const) {
      await queue.subscribe(key, { clockId });
      await queue.write("UPDATE subscriptions SET status = $1 WHERE key = $2", [status, key]);
      for (const [at, state] of states.entries()) {
        const id = await queue.enqueue(key, { nextAt: at === 0 ? NOW - overdueMs : NOW + 1 });
        const nextAt = state === "waiting" ? "next_at" : "NULL";
        await queue.write(`UPDATE deliveries SET state = $1, next_at = ${nextAt} WHERE id = $2`, [
          state,
          id,
        ]);
      }
    }
    await queue.store.join("p");
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
