import { insertRow, type Queryable, type SqlValue } from "../driver.ts";

/** A debit's status. The last two are failures; a failed debit never succeeds again. */
export type DebitStatus = "CREATED" | "AUTHORIZED" | "SUCCEEDED" | "TERMINAL_FAILED" | "CANCELED";
export type RefundStatus = "PENDING" | "AUTHORIZED" | "TERMINAL_FAILED";

interface PaymentBase {
  readonly id: string;
  readonly merchantId: string;
  readonly clockId: string;
  readonly customerId: string;
  readonly amountCents: bigint;
  readonly requestKey: string;
  readonly clientReferenceId: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  /** Milliseconds of the row's clock, as every time of a record. */
  readonly createdAt: number;
}

export interface DebitRecord extends PaymentBase {
  readonly direction: "DEBIT";
  readonly status: DebitStatus;
  /** Sum of its PENDING and AUTHORIZED refunds. */
  readonly reservedCents: bigint;
  /** The merchant was paid although the customer was not debited. */
  readonly covered: boolean;
  readonly settledAt: number | null;
  readonly failedAt: number | null;
}

export interface RefundRecord extends PaymentBase {
  readonly direction: "CREDIT";
  readonly status: RefundStatus;
  readonly originalId: string;
  readonly softDescriptor: string | null;
  /** When a PENDING refund becomes AUTHORIZED; `null` until its debit has settled, and afterwards. */
  readonly dueAt: number | null;
}

/** One record type for both directions (S 2.2 leaves its members open). */
export type PaymentRecord = DebitRecord | RefundRecord;

const columns = `id, merchant_id AS "merchantId", clock_id AS "clockId",
  customer_id AS "customerId", direction, original_id AS "originalId",
  amount_cents AS "amountCents", reserved_cents AS "reservedCents", status,
  request_key AS "requestKey", client_reference_id AS "clientReferenceId",
  soft_descriptor AS "softDescriptor", covered, error_code AS "errorCode",
  error_message AS "errorMessage", created_at AS "createdAt", settled_at AS "settledAt",
  failed_at AS "failedAt", due_at AS "dueAt"`;

type PaymentRow = Omit<PaymentBase, "amountCents"> &
  Pick<DebitRecord, "settledAt" | "failedAt"> &
  Pick<RefundRecord, "softDescriptor" | "dueAt"> & {
    readonly direction: "DEBIT" | "CREDIT";
    readonly originalId: string | null;
    readonly amountCents: number;
    readonly reservedCents: number;
    readonly status: string;
    readonly covered: number;
  };

function toPayment(row: PaymentRow): PaymentRecord {
  const { direction, status, originalId, softDescriptor, dueAt, ...rest } = row;
  const { amountCents, reservedCents, covered, settledAt, failedAt, ...shared } = rest;
  const base = { ...shared, amountCents: BigInt(amountCents) };
  // The casts: only this module writes statuses, each direction with its own.
  if (direction === "CREDIT") {
    if (originalId === null) throw new Error(`refund ${base.id} has no original payment`);
    const refundStatus = status as RefundStatus;
    return { ...base, direction, status: refundStatus, originalId, softDescriptor, dueAt };
  }
  return {
    ...base,
    direction,
    status: status as DebitStatus,
    reservedCents: BigInt(reservedCents),
    covered: covered === 1,
    settledAt,
    failedAt,
  };
}

/** Reads payments and refunds. @param rest The statement after `FROM payments`. */
export async function selectPayments(
  db: Queryable,
  rest: string,
  params: readonly SqlValue[],
): Promise<PaymentRecord[]> {
  const rows = await db.query<PaymentRow>(`SELECT ${columns} FROM payments ${rest}`, params);
  return rows.map(toPayment);
}

/** Writes a payment or refund. @returns `false` if the merchant's `requestKey` is taken. */
export async function insertPayment(tx: Queryable, payment: PaymentRecord): Promise<boolean> {
  const { id, merchantId, clockId, customerId, direction, amountCents, status } = payment;
  const { requestKey, clientReferenceId, errorCode, errorMessage, createdAt } = payment;
  const shared = {
    id,
    merchantId,
    clockId,
    customerId,
    direction,
    amountCents,
    status,
    requestKey,
  };
  const row = { ...shared, clientReferenceId, errorCode, errorMessage, createdAt };
  return insertRow(tx, "payments", { ...row, ...columnsOf(payment) }, "(merchant_id, request_key)");
}

/** The columns that only one direction uses. */
function columnsOf(payment: PaymentRecord) {
  const refund = payment.direction === "CREDIT" ? payment : undefined;
  const debit = payment.direction === "DEBIT" ? payment : undefined;
  return {
    originalId: refund?.originalId ?? null,
    softDescriptor: refund?.softDescriptor ?? null,
    dueAt: refund?.dueAt ?? null,
    reservedCents: debit?.reservedCents ?? 0n,
    covered: debit?.covered === true ? 1 : 0,
    settledAt: debit?.settledAt ?? null,
    failedAt: debit?.failedAt ?? null,
  };
}

/** Returns the merchant's payment or refund; another merchant's is not found. */
export async function findPayment(
  db: Queryable,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<PaymentRecord | undefined> {
  const [payment] = await selectPayments(db, "WHERE merchant_id = $1 AND id = $2", [
    merchantId,
    id,
  ]);
  return payment;
}

/** True if a payment or refund of any merchant has the id. The caller must be an operator. */
export async function isPaymentId(db: Queryable, id: string): Promise<boolean> {
  return (await db.query("SELECT id FROM payments WHERE id = $1", [id])).length === 1;
}

/** Returns the merchant's payment or refund with a `requestKey`. */
export async function findPaymentByKey(
  db: Queryable,
  { merchantId, requestKey }: { merchantId: string; requestKey: string },
): Promise<PaymentRecord | undefined> {
  const [payment] = await selectPayments(db, "WHERE merchant_id = $1 AND request_key = $2", [
    merchantId,
    requestKey,
  ]);
  return payment;
}

/**
 * Finds a payment record, and locks it until this transaction ends. A transaction that locks a debit and its
 * refunds locks the debit first, so that two calls never wait for each other.
 */
export async function lockPayment(
  tx: Queryable,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<PaymentRecord | undefined> {
  const [payment] = await selectPayments(tx, "WHERE merchant_id = $1 AND id = $2 FOR UPDATE", [
    merchantId,
    id,
  ]);
  return payment;
}

/** The merchant's payments and refunds, the newest first. */
export async function listPayments(
  db: Queryable,
  { merchantId, limit }: { merchantId: string; limit: number },
): Promise<PaymentRecord[]> {
  return selectPayments(
    db,
    `WHERE merchant_id = $1
      ORDER BY seq DESC LIMIT $2`,
    [merchantId, limit],
  );
}

/**
 * Writes the new state of a payment or refund that this transaction has locked.
 *
 * @throws {Error} The record no longer has the status of `before`: a bug, since it is locked.
 */
export async function updatePayment(
  tx: Queryable,
  before: PaymentRecord,
  after: PaymentRecord,
): Promise<void> {
  const { covered, settledAt, failedAt, dueAt } = columnsOf(after);
  const { status, errorCode, errorMessage } = after;
  const rows = await tx.query(
    `UPDATE payments SET status = $4, covered = $5, settled_at = $6, failed_at = $7, due_at = $8,
        error_code = $9, error_message = $10
      WHERE merchant_id = $1 AND id = $2 AND status = $3 RETURNING id`,
    [
      before.merchantId,
      before.id,
      before.status,
      status,
      covered,
      settledAt,
      failedAt,
      dueAt,
      errorCode,
      errorMessage,
    ],
  );
  if (rows.length !== 1) throw new Error(`payment ${before.id} has changed under its lock`);
}
