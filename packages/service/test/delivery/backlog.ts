import type { Driver } from "../../src/store/driver.ts";

/** Rows of one transaction. */
const SLICE = 50_000;

/**
 * Puts events in the queues of subscriptions, with a few statements for all.
 *
 * @param key The subscription's key, as SQL of the event's number `i`.
 */
export async function fill(
  driver: Driver,
  {
    count,
    key,
    nextAt,
    name = "",
    payload = "{}",
  }: {
    readonly count: number;
    readonly key: string;
    readonly nextAt: number;
    /** Tells the events of one call from those of another. */
    readonly name?: string;
    readonly payload?: string;
  },
): Promise<void> {
  for (let from = 0; from < count; from += SLICE) {
    const rows = `WITH RECURSIVE n (i) AS (SELECT ${String(from)} UNION ALL
      SELECT i + 1 FROM n WHERE i + 1 < ${String(Math.min(count, from + SLICE))})`;
    const owner = `n JOIN subscriptions ON key = ${key}`;
    await driver.transaction(async (tx) => {
      await tx.query(
        `INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
         ${rows} SELECT 'evt_${name}' || i, merchant_id, clock_id, 'refund.authorized', 'PAYMENT', '${payload}', 0
         FROM ${owner}`,
      );
      await tx.query(
        `INSERT INTO deliveries
           (id, event_id, subscription_key, merchant_id, clock_id, state, next_at, created_at)
         ${rows} SELECT 'dlv_${name}' || i, 'evt_${name}' || i, key, merchant_id, clock_id, 'waiting', $1, 0
         FROM ${owner}`,
        [nextAt],
      );
    });
  }
}
