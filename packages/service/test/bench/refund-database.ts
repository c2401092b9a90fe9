import type { Driver } from "../../src/store/driver.ts";
import { shareDatabase } from "../instances/shared-database.ts";
import { newPayment } from "../payments.ts";

const PAYMENTS = 200;

/** What the calls of a benchmark are about. */
export interface RefundDatabase {
  readonly merchantId: string;
  readonly token: string;
  readonly paymentIds: readonly string[];
}

/**
 * A database with a merchant, a subscription to its payments, and payments that were settled three weeks ago.
 *
 * @param stored Payments of other merchants that stand there beside.
 */
export async function refundDatabase(driver: Driver, stored: number): Promise<RefundDatabase> {
  const shared = await shareDatabase(driver, "https://merchant.example/");
  const { merchant, token, useCases } = shared;
  const paymentIds: string[] = [];
  for (let count = 0; count < PAYMENTS; count += 1) {
    const paymentId = await newPayment(shared, merchant, { cents: 9_999_999_999n });
    await useCases.settlePayment(merchant, { paymentId });
    paymentIds.push(paymentId);
  }
  if (stored > 0) await store(driver, stored);
  return { merchantId: merchant.id, token, paymentIds };
}

/** Settled payments of a thousand merchants, in an order that no index has. */
async function store(driver: Driver, count: number): Promise<void> {
  await driver.exclusive(async (tx) => {
    await tx.query(
      `INSERT INTO merchants (id, name, clock_id, created_at)
        WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
        SELECT 'mer_' || i, 'M', 'live', 0 FROM n`,
    );
    await tx.query(
      `INSERT INTO customers
          (id, merchant_id, clock_id, first_name, last_name, email, status, created_at)
        SELECT 'cus_' || id, id, 'live', 'A', 'B', 'a@example.com', 'ACTIVE', 0 FROM merchants
        WHERE id LIKE 'mer\\_%' ESCAPE '\\' AND name = 'M'`,
    );
    await tx.query(
      `INSERT INTO payments (id, merchant_id, clock_id, customer_id, direction, amount_cents, status,
          request_key, created_at, settled_at)
        WITH RECURSIVE n (i) AS (
          SELECT CAST(1 AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < CAST($1 AS bigint))
        SELECT 'pay_' || ((i * 48271) % 2147483647) || '_stored', 'mer_' || (i % 1000), 'live',
          'cus_mer_' || (i % 1000), 'DEBIT', 1000, 'SUCCEEDED',
          'key_' || ((i * 69621) % 2147483647), i, i FROM n`,
      [count],
    );
  });
}
