import { describe, expect, it } from "vitest";
import { textOf, type Queryable, type Sql, type SqlValue } from "../../src/store/driver.ts";
import { claimDeliveries } from "../../src/store/operations/deliveries/claim-deliveries.ts";
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
          ids.map((id) => ({
            settled: { id, attempt: 2, state: "delivered", nextAt: null },
            record: {
              deliveryId: id,
              number: 2,
              startedAt: 0,
              durationMs: 1,
              status: 204,
              error: null,
              answer: "",
            },
          })),
        ),
    ],
    [
      "a claim",
      (tx) =>
        claimDeliveries(tx, {
          clockId: "live",
          subscriptionKeys: ids,
          count: 8,
          now: 1,
          realNow: 1,
          leasedUntil: 2,
        }),
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
    const statements: [Sql, readonly SqlValue[]][] = [];
    await run({
      query: async (sql, params = []) => {
        statements.push([sql, params]);
        return [];
      },
    });
    expect(statements.length).toBeGreaterThan(0);
    for (const [sql, params] of statements) {
      const plan = await queue.driver.query<{ detail: string }>(
        `EXPLAIN QUERY PLAN ${textOf(sql, "sqlite")}`,
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
