import { expect } from "vitest";
import type { Driver } from "../../src/store/driver.ts";

interface Refund {
  readonly id: string;
  readonly key: string;
  readonly status: string;
  readonly cents: number;
}

/**
 * Expects that every refund of one debit has reported each state once, to each of the
 * subscriptions, on a path of S 3.1; that no other refund was reported; and that the debit reserves their sum.
 *
 * @returns The refunds' keys.
 */
export async function expectToldOnce(
  driver: Driver,
  paymentId: string,
  subscriptions = 1,
): Promise<Set<string>> {
  const refunds = await driver.query<Refund>(
    `SELECT id, request_key AS key, status, amount_cents AS cents FROM payments
      WHERE original_id = $1`,
    [paymentId],
  );
  const events = await driver.query<{ payload: string; deliveries: number }>(
    `SELECT e.payload, CAST(count(d.id) AS bigint) AS deliveries
      FROM events e LEFT JOIN deliveries d ON d.event_id = e.id
      WHERE e.type LIKE 'refund.%' GROUP BY e.id, e.payload`,
  );
  const told = new Map<string, string[]>();
  for (const { payload, deliveries } of events) {
    const { data } = JSON.parse(payload) as { data: { paymentId: string; paymentStatus: string } };
    const before = told.get(data.paymentId) ?? [];
    told.set(data.paymentId, [...before, `${data.paymentStatus} to ${deliveries}`]);
  }
  const isTold = ({ id, status }: Refund): boolean => {
    const all = [...new Set(["PENDING", status]).values()].map(
      (one) => `${one} to ${subscriptions}`,
    );
    const states = (told.get(id) ?? []).toSorted();
    return [all.toSorted(), all.slice(-1)].some((path) => path.join() === states.join());
  };
  expect(refunds.filter((refund) => !isTold(refund))).toEqual([]);
  const credits = await driver.query<{ id: string }>(
    "SELECT id FROM payments WHERE direction = 'CREDIT'",
  );
  const ids = new Set(credits.map(({ id }) => id));
  expect([...told.keys()].filter((id) => !ids.has(id))).toEqual([]);
  const open = refunds.filter(({ status }) => status !== "TERMINAL_FAILED");
  const debits = await driver.query("SELECT reserved_cents AS cents FROM payments WHERE id = $1", [
    paymentId,
  ]);
  expect(debits).toEqual([{ cents: open.reduce((sum, { cents }) => sum + cents, 0) }]);
  return new Set(refunds.map(({ key }) => key));
}
