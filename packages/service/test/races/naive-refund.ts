import type { Driver } from "../../src/store/driver.ts";

/**
 * The mistake that the races are there to find: key and remaining amount are looked up, and what was
 * seen is believed when the refund is written. Kept so that a race that finds nothing here fails.
 *
 * @returns The answer's status.
 */
export async function naiveRefund(
  driver: Driver,
  order: { readonly paymentId: string; readonly requestKey: string; readonly cents: number },
): Promise<number> {
  const { paymentId, requestKey, cents } = order;
  const same = await driver.query("SELECT cents FROM naive_refunds WHERE request_key = $1", [
    requestKey,
  ]);
  if (same.length > 0) return 409;
  const [payment] = await driver.query<{ cents: number }>(
    "SELECT amount_cents AS cents FROM payments WHERE id = $1",
    [paymentId],
  );
  const refunds = await driver.query<{ cents: number }>(
    "SELECT cents FROM naive_refunds WHERE payment_id = $1",
    [paymentId],
  );
  const refunded = refunds.reduce((sum, one) => sum + one.cents, 0);
  if (refunded + cents > (payment?.cents ?? 0)) return 422;
  await driver.transaction((tx) =>
    tx.query("INSERT INTO naive_refunds (payment_id, request_key, cents) VALUES ($1, $2, $3)", [
      paymentId,
      requestKey,
      cents,
    ]),
  );
  return 201;
}
