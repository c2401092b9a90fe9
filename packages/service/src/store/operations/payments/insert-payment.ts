import type { Queryable } from "../../driver.ts";
import type { PaymentRecord } from "../../records.ts";

/** `false` where the merchant has a record with this `requestKey`; then nothing is written. */
export async function insertPayment(tx: Queryable, payment: PaymentRecord): Promise<boolean> {
  const refund = payment.direction === "CREDIT" ? payment : undefined;
  const debit = payment.direction === "DEBIT" ? payment : undefined;
  const rows = await tx.query(
    `INSERT INTO payments (id, merchant_id, clock_id, customer_id, direction, original_id,
        amount_cents, reserved_cents, status, request_key, client_reference_id, soft_descriptor,
        covered, error_code, error_message, created_at, settled_at, due_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
      ON CONFLICT (merchant_id, request_key) DO NOTHING RETURNING id`,
    [
      payment.id,
      payment.merchantId,
      payment.clockId,
      payment.customerId,
      payment.direction,
      refund?.originalId ?? null,
      payment.amountCents,
      debit?.reservedCents ?? 0n,
      payment.status,
      payment.requestKey,
      payment.clientReferenceId,
      refund?.softDescriptor ?? null,
      debit?.covered === true ? 1 : 0,
      payment.errorCode,
      payment.errorMessage,
      payment.createdAt,
      debit?.settledAt ?? null,
      refund?.dueAt ?? null,
    ],
  );
  return rows.length === 1;
}
