import { expect } from "vitest";
import type { Driver } from "../../src/store/driver.ts";

interface Refund {
  readonly id: string;
  readonly key: string;
  readonly status: string;
}

/**
 * Expects of every refund of one debit that it has told each state that it entered once, that each event
 * is bound for the one subscription, and that the debit reserves what its refunds of 0.01 add up to.
 *
 * @returns The refunds' keys.
 */
export async function expectToldOnce(driver: Driver, paymentId: string): Promise<Set<string>> {
  const refunds = await driver.query<Refund>(
    "SELECT id, request_key AS key, status FROM payments WHERE original_id = $1",
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
    const states = told.get(id) ?? [];
    return states.includes(`${status} to 1`) && new Set(states).size === states.length;
  };
  expect(refunds.filter((refund) => !isTold(refund))).toEqual([]);
  const ids = new Set(refunds.map(({ id }) => id));
  expect([...told.keys()].filter((id) => !ids.has(id))).toEqual([]);
  const [debit] = await driver.query<{ cents: number }>(
    "SELECT reserved_cents AS cents FROM payments WHERE id = $1",
    [paymentId],
  );
  expect(debit?.cents).toBe(refunds.length);
  return new Set(refunds.map(({ key }) => key));
}
