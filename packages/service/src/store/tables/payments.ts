import { insertRow, updateRow, type Queryable, type SqlValue } from "../driver.ts";
import { partOf } from "./explorer.ts";

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
  const { originalId, softDescriptor, dueAt, ...others } = row;
  const { reservedCents, covered, settledAt, failedAt, ...shared } = others;
  const base = { ...shared, amountCents: BigInt(row.amountCents) };
  // The casts: only this module writes statuses, each direction with its own.
  if (row.direction === "DEBIT") {
    const debit = { reservedCents: BigInt(reservedCents), covered: covered === 1 };
    return { ...base, ...debit, settledAt, failedAt } as DebitRecord;
  }
  if (originalId === null) throw new Error(`refund ${row.id} has no original payment`);
  return { ...base, originalId, softDescriptor, dueAt } as RefundRecord;
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
export const insertPayment = (tx: Queryable, payment: PaymentRecord): Promise<boolean> =>
  insertRow(tx, "payments", { ...payment }, "(merchant_id, request_key)");

/** Returns the merchant's payment or refund; another merchant's is not found. */
export async function findPayment(
  db: Queryable,
  { merchantId, id }: { merchantId: string; id: string },
  lock: "" | "FOR UPDATE" = "",
): Promise<PaymentRecord | undefined> {
  const where = `WHERE merchant_id = $1 AND id = $2 ${lock}`;
  return (await selectPayments(db, where, [merchantId, id]))[0];
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
  const where = "WHERE merchant_id = $1 AND request_key = $2";
  return (await selectPayments(db, where, [merchantId, requestKey]))[0];
}

/**
 * Finds a payment record, and locks it until this transaction ends. A transaction that locks a debit and its
 * refunds locks the debit first, so that two calls never wait for each other.
 */
export const lockPayment = (
  tx: Queryable,
  named: { merchantId: string; id: string },
): Promise<PaymentRecord | undefined> => findPayment(tx, named, "FOR UPDATE");

/** Selects a merchant's payments and refunds. */
export interface PaymentFilter {
  readonly merchantId: string;
  /** A part of an id, request key or reference. Default: all. */
  readonly q?: string | undefined;
  readonly status?: string | undefined;
}

const SEARCHED = ["id", "request_key", "coalesce(client_reference_id, '')", "customer_id"];
const FILTERED = `WHERE merchant_id = $1 AND ($2 = '' OR status = $2)
  AND (${SEARCHED.map((column) => `${column} LIKE $3 ESCAPE '!'`).join(" OR ")})`;

/** The selected payments and refunds, the newest first. @param page `before`: the last id of the page before. */
export async function listPayments(
  db: Queryable,
  {
    merchantId,
    q = "",
    status = "",
    before = "",
    limit,
  }: PaymentFilter & { readonly before?: string | undefined; readonly limit: number },
): Promise<PaymentRecord[]> {
  return selectPayments(
    db,
    `${FILTERED} AND ($4 = '' OR seq < (SELECT seq FROM payments WHERE merchant_id = $1 AND id = $4))
      ORDER BY seq DESC LIMIT $5`,
    [merchantId, status, partOf(q), before, limit],
  );
}

export async function countPayments(
  db: Queryable,
  { merchantId, q = "", status = "" }: PaymentFilter,
): Promise<number> {
  const sql = `SELECT count(*) AS count FROM payments ${FILTERED}`;
  const [found] = await db.query<{ count: number }>(sql, [merchantId, status, partOf(q)]);
  return found?.count ?? 0;
}

/** Writes the new state of a payment or refund that this transaction has locked. */
export async function updatePayment(
  tx: Queryable,
  before: PaymentRecord,
  after: PaymentRecord,
): Promise<void> {
  const { merchantId, id } = before;
  const { status, errorCode, errorMessage } = after;
  const own =
    after.direction === "CREDIT"
      ? { dueAt: after.dueAt }
      : { covered: after.covered, settledAt: after.settledAt, failedAt: after.failedAt };
  const changed = await updateRow(tx, "payments", {
    key: { merchantId, id, status: before.status },
    set: { status, errorCode, errorMessage, ...own },
  });
  if (!changed) throw new Error(`payment ${id} has changed under its lock`);
}
