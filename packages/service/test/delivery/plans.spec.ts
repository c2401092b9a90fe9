import { describe, expect, it } from "vitest";
import type { Queryable, SqlValue } from "../../src/store/driver.ts";
import { countOutcomes } from "../../src/store/operations/deliveries/count-outcomes.ts";
import { releaseDeliveries } from "../../src/store/operations/deliveries/release-deliveries.ts";
import { settleDeliveries } from "../../src/store/operations/deliveries/settle-deliveries.ts";
import { openQueue } from "./queue.ts";

const ids = Array.from({ length: 200 }, (_, index) => `dlv_${String(index)}`);

describe("P6: what many rows are written by", () => {
  it.each<[string, (tx: Queryable) => Promise<unknown>]>([
    [
      "a settlement",
      (tx) =>
        settleDeliveries(
          tx,
          ids.map((id) => ({ id, attempt: 1, state: "delivered", nextAt: null })),
        ),
    ],
    [
      "a release",
      (tx) =>
        releaseDeliveries(
          tx,
          ids.map((id) => ({ id, attempt: 1, begun: true })),
        ),
    ],
    [
      "a count of outcomes",
      (tx) =>
        countOutcomes(
          tx,
          ids.map((key) => ({ key, failures: 1, succeeded: false, at: 0 })),
          { failures: 1, afterMs: 0 },
        ),
    ],
  ])("%s walks through no table on SQLite, whatever waits in it", async (_, run) => {
    const queue = await openQueue();
    const statements: [string, readonly SqlValue[]][] = [];
    await run({
      query: async (sql, params = []) => {
        statements.push([sql, params]);
        return [];
      },
    });
    expect(statements.length).toBeGreaterThan(0);
    for (const [sql, params] of statements) {
      const plan = await queue.driver.query<{ detail: string }>(
        `EXPLAIN QUERY PLAN ${sql}`,
        params,
      );
      const details = plan.map(({ detail }) => detail);
      expect(details.filter((detail) => /^SCAN (?:deliveries|subscriptions)/.test(detail))).toEqual(
        [],
      );
      expect(details.join()).toContain("SEARCH");
    }
  });
});
