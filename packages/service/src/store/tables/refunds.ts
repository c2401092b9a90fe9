import type { Queryable } from "../driver.ts";
import { selectPayments, type RefundRecord } from "./payments.ts";

/**
 * Reserves a refund's amount on its debit; a negative one releases it. The statement itself checks what remains, so that
 * concurrent calls never reserve more than the debit's amount, and a CHECK of the table what is released.
 *
 * @returns `false` if too little remains; nothing is reserved then.
 */
export async function reserve(
  tx: Queryable,
  { merchantId, id, cents }: { merchantId: string; id: string; cents: bigint },
): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE payments SET reserved_cents = reserved_cents + $3
      WHERE merchant_id = $1 AND id = $2 AND direction = 'DEBIT'
        AND reserved_cents + $3 <= amount_cents RETURNING id`,
    [merchantId, id, cents],
  );
  return rows.length === 1;
}

/** The refunds of a debit, the oldest first. */
export async function listRefunds(
  db: Queryable,
  { merchantId, originalId }: { merchantId: string; originalId: string },
  rest = "ORDER BY seq",
): Promise<RefundRecord[]> {
  const where = `WHERE merchant_id = $1 AND original_id = $2 ${rest}`;
  const payments = await selectPayments(db, where, [merchantId, originalId]);
  return payments.filter((payment) => payment.direction === "CREDIT");
}

/** The PENDING refunds of a debit, the oldest first, locked until this transaction ends. */
export const listPendingRefunds = (
  tx: Queryable,
  debit: { merchantId: string; originalId: string },
): Promise<RefundRecord[]> =>
  listRefunds(tx, debit, "AND status = 'PENDING' ORDER BY seq FOR UPDATE");

/** A refund's position in the order of due times. */
export interface DuePlace {
  readonly id: string;
  /** Milliseconds of the refund's clock. */
  readonly dueAt: number;
  readonly seq: number;
}

/** Lists the refunds of a clock that are due by `now`, the longest overdue first. One invalid row does not hide the others. */
export async function listDueRefunds(
  db: Queryable,
  query: { clockId: string; now: number; after: DuePlace | undefined; limit: number },
): Promise<DuePlace[]> {
  const { clockId, now, after, limit } = query;
  return db.query<DuePlace>(
    `SELECT id, due_at AS "dueAt", seq FROM payments
      WHERE clock_id = $1 AND due_at <= $2 AND (due_at, seq) > ($3, $4) AND direction = 'CREDIT'
      ORDER BY due_at, seq LIMIT $5`,
    [clockId, now, after?.dueAt ?? Number.MIN_SAFE_INTEGER, after?.seq ?? 0, limit],
  );
}

/** Returns a refund that is due by `now` and not locked to be moved by another process, and locks it. */
export async function lockDueRefund(
  tx: Queryable,
  { id, now }: { id: string; now: number },
): Promise<RefundRecord | undefined> {
  const [payment] = await selectPayments(
    tx,
    `WHERE id = $1 AND due_at <= $2 AND direction = 'CREDIT' FOR UPDATE SKIP LOCKED`,
    [id, now],
  );
  return payment?.direction === "CREDIT" ? payment : undefined;
}

/** Returns when the next PENDING refund of a clock is due after `now`, in milliseconds of that clock. */
export async function nextDueAt(
  db: Queryable,
  { clockId, now }: { readonly clockId: string; readonly now: number },
): Promise<number | undefined> {
  const [row] = await db.query<{ dueAt: number | null }>(
    `SELECT MIN(due_at) AS "dueAt" FROM payments
      WHERE clock_id = $1 AND due_at > $2 AND direction = 'CREDIT'`,
    [clockId, now],
  );
  return row?.dueAt ?? undefined;
}
