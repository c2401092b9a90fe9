import { expect, it } from "vitest";
import { heldMemory } from "../../../../test/held-memory.ts";
import { replayDeliveries } from "../../src/delivery/operator.ts";
import { textOf, type Sql, type SqlValue } from "../../src/store/driver.ts";
import { deliveryStore } from "../../src/store/tables/delivery-queue.ts";
import { deleteExpiredTokens } from "../../src/store/tables/tokens.ts";
import { hookedDriver } from "../hooked-driver.ts";
import { fill } from "./backlog.ts";
import { answered, CLOCK_START, fakeTransport, openQueue } from "./queue.ts";

it("P6: no statement of the delivery engine scans the deliveries, attempts or events on SQLite, whatever waits in them", async () => {
  const queue = await openQueue();
  await queue.subscribeMany(8);
  await queue.subscribe("sub_live", { clockId: "live" });
  await queue.enqueue("sub_live");
  const sent = new Map<string, readonly SqlValue[]>();
  const statement = (sql: Sql, params: readonly SqlValue[]): void => {
    const text = textOf(sql, "sqlite");
    if (/^\s*(?:WITH|SELECT|UPDATE|INSERT|DELETE)/i.test(text)) sent.set(text, params);
  };
  const driver = hookedDriver(queue.driver, { statement, query: statement });
  const statuses = [204, 500, 410];
  const transport = fakeTransport((_, count) => answered(statuses[count % 3] ?? 204));
  const engine = queue.engine(transport, { store: deliveryStore(driver) });
  const work = { key: "sub_live", merchantId: "mer_live", url: "https://sub_live.example/" };
  engine.onWork([{ ...work, at: queue.clock.now() }]);
  await queue.advance(engine, CLOCK_START + 86_400_000);
  await engine.stop();
  const what = { kind: "failed", since: 0 } as const;
  const order = { what, merchantId: "mer_1" };
  await replayDeliveries({ clock: queue.clock, driver, onWork: () => {} }, order);
  await driver.transaction((tx) => deleteExpiredTokens(tx, 0));
  // To keep the time, to look, to claim, to complete, and those after it.
  expect(sent.size).toBeGreaterThan(15);
  for (const [sql, params] of sent) {
    const plan = await queue.driver.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params);
    const scans = plan.filter(({ detail }) =>
      /^SCAN (?:deliveries|due|events|earlier_attempts|attempts|tokens)\b(?!.*INDEX)/.test(detail),
    );
    expect([sql, scans]).toEqual([sql, []]);
  }
});

it(
  "P6: 50,000 due deliveries take no more memory than those in flight",
  { tags: "ci" },
  async () => {
    const queue = await openQueue();
    for (let number = 0; number < 200; number += 1)
      await queue.subscribe(`sub_${number}`, { clockId: "live" });
    await fill(queue.driver, { count: 50_000, key: "'sub_' || (i % 200)", nextAt: 0 });
    const done = Promise.withResolvers<void>();
    let attempted = 0;
    const transport = fakeTransport(() => {
      attempted += 1;
      if (attempted === 2000) done.resolve();
      // The fake transport keeps what was posted, which would grow.
      transport.posts.length = 0;
      return answered(204);
    });
    const before = heldMemory();
    queue.engine(transport);
    await done.promise;
    // All of them would be about 20 MB, at 400 bytes each.
    expect(heldMemory() - before).toBeLessThan(10_000_000);
  },
);
