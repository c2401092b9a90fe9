import type { Merchant, Queryable } from "@countersign/service";

/**
 * Takes everything out of a namespace but the merchant, its clients and its tokens, and sets its clock.
 * This is the one way in which a clock goes back: nothing is left that remembers a later time.
 *
 * @param instant What the clock shows from now on, in milliseconds.
 */
export async function emptyNamespace(
  tx: Queryable,
  merchant: Merchant,
  instant: number,
): Promise<void> {
  const mine = [merchant.id];
  await tx.query(
    `DELETE FROM earlier_attempts WHERE delivery_id IN (SELECT id FROM deliveries WHERE merchant_id = $1)`,
    mine,
  );
  await tx.query("DELETE FROM replays WHERE merchant_id = $1", mine);
  await tx.query("DELETE FROM resumes WHERE merchant_id = $1", mine);
  // Rows before those that they refer to; of payments the refunds before the debits.
  await tx.query("DELETE FROM deliveries WHERE merchant_id = $1", mine);
  await tx.query("DELETE FROM events WHERE merchant_id = $1", mine);
  await tx.query("DELETE FROM subscriptions WHERE merchant_id = $1", mine);
  await tx.query("DELETE FROM payments WHERE merchant_id = $1 AND direction = 'CREDIT'", mine);
  await tx.query("DELETE FROM payments WHERE merchant_id = $1", mine);
  await tx.query("DELETE FROM accounts WHERE merchant_id = $1", mine);
  await tx.query("DELETE FROM customers WHERE merchant_id = $1", mine);
  await tx.query("UPDATE clocks SET instant = $2 WHERE id = $1 AND id <> 'live'", [
    merchant.clockId,
    instant,
  ]);
}
