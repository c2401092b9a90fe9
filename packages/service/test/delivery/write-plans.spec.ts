import { expect, it } from "vitest";
import { replayDeliveries } from "../../src/delivery/replay-deliveries.ts";
import { textOf, type SqlValue } from "../../src/store/driver.ts";
import { deleteExpiredTokens } from "../../src/store/tables/tokens.ts";
import { hookedDriver } from "../hooked-driver.ts";
import { answered, CLOCK_START, fakeTransport, openEngine, openQueue } from "./queue.ts";

it("P6: no write of the delivery engine scans a table on SQLite, whatever waits in it", async () => {
  const queue = await openQueue();
  await queue.subscribeMany(8);
  const written = new Map<string, readonly SqlValue[]>();
  const statement = (sql: Parameters<typeof textOf>[0], params: readonly SqlValue[]): void => {
    const text = textOf(sql, "sqlite");
    if (/^\s*(?:WITH|UPDATE|INSERT|DELETE)/i.test(text)) written.set(text, params);
  };
  const driver = hookedDriver(queue.driver, { statement });
  const statuses = [204, 500, 410];
  const transport = fakeTransport((_, count) => answered(statuses[count % 3] ?? 204));
  const ports = { ...queue.ports(transport), driver };
  await openEngine(ports).advanceClock("clk_1", CLOCK_START + 86_400_000);
  const what = { kind: "failed", since: 0 } as const;
  await replayDeliveries(ports, { id: "mer_1", clockId: "clk_1" }, { what, askedBy: "operator" });
  await driver.transaction((tx) => deleteExpiredTokens(tx, { now: 0, limit: 1 }));
  expect(written.size).toBeGreaterThan(5);
  for (const [sql, params] of written) {
    const plan = await queue.driver.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params);
    const scans = plan.filter(({ detail }) =>
      /^SCAN (?:deliveries|subscriptions|attempts|tokens|d|s)\b(?!.*INDEX)/.test(detail),
    );
    expect([sql, scans]).toEqual([sql, []]);
  }
});
