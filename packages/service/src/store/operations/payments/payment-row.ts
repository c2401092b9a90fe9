import type { DebitStatus, PaymentRecord, RefundStatus } from "../../records.ts";

export const paymentColumns = `id, merchant_id AS "merchantId", clock_id AS "clockId",
  customer_id AS "customerId", direction, original_id AS "originalId",
  amount_cents AS "amountCents", reserved_cents AS "reservedCents", status,
  request_key AS "requestKey", client_reference_id AS "clientReferenceId",
  soft_descriptor AS "softDescriptor", covered, error_code AS "errorCode",
  error_message AS "errorMessage", created_at AS "createdAt", settled_at AS "settledAt",
  failed_at AS "failedAt", due_at AS "dueAt"`;

export interface PaymentRow {
  id: string;
  merchantId: string;
  clockId: string;
  customerId: string;
  direction: "DEBIT" | "CREDIT";
  originalId: string | null;
  amountCents: number;
  reservedCents: number;
  status: string;
  requestKey: string;
  clientReferenceId: string | null;
  softDescriptor: string | null;
  covered: number;
  errorCode: string | null;
  errorMessage: string | null;
  createdAt: number;
  settledAt: number | null;
  failedAt: number | null;
  dueAt: number | null;
}

export function toPayment(row: PaymentRow): PaymentRecord {
  const { id, merchantId, clockId, customerId, requestKey, clientReferenceId } = row;
  const { errorCode, errorMessage, createdAt } = row;
  const base = {
    id,
    merchantId,
    clockId,
    customerId,
    requestKey,
    clientReferenceId,
    errorCode,
    errorMessage,
    createdAt,
    amountCents: BigInt(row.amountCents),
  };
  // The statuses are written by this package alone, each direction with its own.
  if (row.direction === "CREDIT") {
    if (row.originalId === null) throw new Error(`refund ${id} has no original payment`);
    const { originalId, softDescriptor, dueAt } = row;
    const status = row.status as RefundStatus;
    return { ...base, direction: "CREDIT", status, originalId, softDescriptor, dueAt };
  }
  return {
    ...base,
    direction: "DEBIT",
    status: row.status as DebitStatus,
    reservedCents: BigInt(row.reservedCents),
    covered: row.covered === 1,
    settledAt: row.settledAt,
    failedAt: row.failedAt,
  };
}
