import type { Queryable } from "../driver.ts";
import { selectPayments, type RefundRecord } from "./payments.ts";

/**
 * Reserves a refund's amount on its debit. The statement itself checks what remains, so that concurrent
 * calls never reserve more than the debit's amount.
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

/** Releases a failed refund's amount. A CHECK of the table refuses to release too much. */
export async function release(
  tx: Queryable,
  { merchantId, id, cents }: { merchantId: string; id: string; cents: bigint },
): Promise<void> {
  await tx.query(
    `UPDATE payments SET reserved_cents = reserved_cents - $3
      WHERE merchant_id = $1 AND id = $2 AND direction = 'DEBIT'`,
    [merchantId, id, cents],
  );
}

/** The PENDING refunds of a debit, the oldest first, locked until this transaction ends. */
export async function listPendingRefunds(
  tx: Queryable,
  { merchantId, originalId }: { merchantId: string; originalId: string },
): Promise<RefundRecord[]> {
  const payments = await selectPayments(
    tx,
    `WHERE merchant_id = $1 AND original_id = $2 AND status = 'PENDING'
      ORDER BY seq FOR UPDATE`,
    [merchantId, originalId],
  );
  return payments.filter((payment) => payment.direction === "CREDIT");
}

/** A refund's position in the order of due times. */
export interface DuePlace {
  readonly id: string;
  /** Milliseconds of the refund's clock. */
  readonly dueAt: number;
  readonly seq: number;
}

/**
 * Lists the PENDING refunds of all merchants of a clock that are due by `now`, the longest overdue first,
 * those after `after`. Reads no other columns, so that one invalid row does not hide the others.
 */
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

/**
 * Returns a refund due by `now` and locks it until this transaction ends; `undefined` if it is no longer
 * due, or if another process has locked it to move it.
 *
 * @throws {Error} The row is invalid: its columns contradict each other.
 */
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

/**
 * Returns when the next PENDING refund of a clock is due, in milliseconds of that clock.
 *
 * @param query `except`: ids of refunds to skip.
 */
export async function nextDueAt(
  db: Queryable,
  { clockId, except }: { clockId: string; except: ReadonlySet<string> },
): Promise<number | undefined> {
  const rows = await db.query<{ id: string; dueAt: number }>(
    `SELECT id, due_at AS "dueAt" FROM payments
      WHERE clock_id = $1 AND due_at IS NOT NULL AND direction = 'CREDIT'
      ORDER BY due_at LIMIT $2`,
    [clockId, except.size + 1],
  );
  return rows.find(({ id }) => !except.has(id))?.dueAt;
}
