import { orUndone, Undo, type Driver, type Queryable } from "../store/driver.ts";
import { recordAction } from "../store/tables/audit.ts";
import { findCustomerOwner, type CustomerStatus } from "../store/tables/customers.ts";
import { lockMerchant, type Merchant } from "../store/tables/merchants.ts";
import { findPaymentByKey, isPaymentId, type DebitStatus } from "../store/tables/payments.ts";
import type { Context } from "./context.ts";
import {
  createCustomer,
  linkAccount,
  moveCustomer,
  type NewAccount,
  type NewCustomer,
} from "./customers.ts";
import {
  authorizePayment,
  createPayment,
  failPayment,
  settlePayment,
  type MovePaymentOutcome,
  type PaymentOrder,
} from "./payments.ts";

export interface CustomerImport extends NewCustomer {
  readonly status: CustomerStatus;
  /** Default: none. Payments need one. */
  readonly account?: Omit<NewAccount, "customerId">;
}

export interface PaymentImport extends PaymentOrder {
  readonly requestKey: string;
  readonly status: DebitStatus;
  /** Only with SUCCEEDED: see `settlePayment`. */
  readonly settledAt?: number;
}

export interface ImportOrder<T> {
  /** Written in one transaction, in this order. */
  readonly records: readonly T[];
  /** For the audit log: 1 to 64 characters. */
  readonly askedBy: string;
  /** Undoes everything in the end. The outcomes are those of a real import. */
  readonly isDryRun?: boolean;
}

/** The outcome of one record. A refused one stores nothing and does not stop the others. */
export type ImportOutcome =
  /** `isNew` is `false` if the same record was imported before. */
  | { readonly ok: true; readonly id: string; readonly isNew: boolean }
  | {
      readonly ok: false;
      readonly code:
        | "CUSTOMER_ID_TAKEN"
        | "CUSTOMER_NOT_FOUND"
        | "CUSTOMER_NOT_LINKED"
        | "DUPLICATE_REQUEST_KEY"
        | "PAYMENT_ID_TAKEN";
    };

/**
 * Creates customers that exist elsewhere, with their accounts and events. A customer of the merchant with the same id
 * is left as it is.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export function importCustomers(
  context: Context,
  merchant: Merchant,
  order: ImportOrder<CustomerImport>,
): Promise<ImportOutcome[]> {
  return importRecords(context, merchant, order, async (within, tx, record) => {
    const { status, account, ...customer } = record;
    const owner = customer.id === undefined ? undefined : await findCustomerOwner(tx, customer.id);
    if (owner === merchant.id) return { ok: true, id: customer.id ?? "", isNew: false };
    if (owner !== undefined) return { ok: false, code: "CUSTOMER_ID_TAKEN" };
    const { id } = await createCustomer(within, merchant, customer);
    if (account !== undefined) {
      await linkAccount(within, merchant, { ...account, customerId: id });
    }
    const moves = {
      CREATED: [],
      ACTIVE: ["activate"],
      INACTIVE: ["activate", "deactivate"],
    } as const;
    for (const move of moves[status]) {
      const moved = await moveCustomer(within, merchant, { customerId: id, move });
      if (!moved.ok) throw new Error(`customer ${id}: ${moved.code}`);
    }
    const { askedBy } = order;
    const at = context.clock.now();
    const action = { what: "customer.create", subject: id, merchantId: merchant.id } as const;
    await recordAction(tx, { ...action, askedBy, at });
    return { ok: true, id, isNew: true };
  });
}

/**
 * Creates payments that were made elsewhere, with their events. A payment with the same request key, customer, amount
 * and reference was imported before, and is left as it is.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export function importPayments(
  context: Context,
  merchant: Merchant,
  order: ImportOrder<PaymentImport>,
): Promise<ImportOutcome[]> {
  return importRecords(context, merchant, order, async (within, tx, record) => {
    const { status, settledAt, ...payment } = record;
    const merchantId = merchant.id;
    const { requestKey } = payment;
    const before = await findPaymentByKey(tx, { merchantId, requestKey });
    if (before !== undefined) {
      const isSame =
        before.direction === "DEBIT" &&
        before.customerId === payment.customerId &&
        before.amountCents === payment.amountCents &&
        before.clientReferenceId === (payment.clientReferenceId ?? null) &&
        before.id === (payment.id ?? before.id);
      if (!isSame) return { ok: false, code: "DUPLICATE_REQUEST_KEY" };
      return { ok: true, id: before.id, isNew: false };
    }
    if (payment.id !== undefined && (await isPaymentId(tx, payment.id))) {
      return { ok: false, code: "PAYMENT_ID_TAKEN" };
    }
    const created = await createPayment(within, merchant, payment);
    if (!created.ok) return created;
    const { id } = created.payment;
    if (status !== "CREATED") {
      const moved = await moveTo(within, merchant, { paymentId: id, status, settledAt });
      if (!moved.ok) throw new Error(`payment ${id}: ${moved.code}`);
    }
    const action = { what: "payment.create", subject: id, merchantId } as const;
    await recordAction(tx, { ...action, askedBy: order.askedBy, at: context.clock.now() });
    return { ok: true, id, isNew: true };
  });
}

/**
 * Settles or fails a payment for an operator, as the merchant's bank reports it.
 *
 * @param order `askedBy` is for the audit log, 1 to 64 characters.
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function movePaymentForOperator(
  context: Context,
  merchant: Merchant,
  order: PaymentMove & {
    readonly status: "SUCCEEDED" | "TERMINAL_FAILED";
    readonly askedBy: string;
  },
): Promise<MovePaymentOutcome> {
  return context.driver.transaction(async (tx) => {
    const moved = await moveTo(joining(context, tx), merchant, order);
    if (!moved.ok) return moved;
    const what = order.status === "SUCCEEDED" ? "payment.settle" : "payment.fail";
    const { paymentId: subject, askedBy } = order;
    const at = context.clock.now();
    await recordAction(tx, { what, subject, merchantId: merchant.id, askedBy, at });
    return moved;
  });
}

interface PaymentMove {
  readonly paymentId: string;
  readonly status: Exclude<DebitStatus, "CREATED">;
  readonly settledAt?: number | undefined;
}

async function moveTo(
  context: Context,
  merchant: Merchant,
  { paymentId, status, settledAt }: PaymentMove,
): Promise<MovePaymentOutcome> {
  switch (status) {
    case "AUTHORIZED":
      return authorizePayment(context, merchant, { paymentId });
    case "SUCCEEDED":
      return settlePayment(context, merchant, {
        paymentId,
        ...(settledAt !== undefined && { settledAt }),
      });
    case "TERMINAL_FAILED":
    case "CANCELED":
      return failPayment(context, merchant, { paymentId, status });
    default:
      return status satisfies never;
  }
}

/** Writes records in one transaction, by use cases that join it. */
async function importRecords<T>(
  context: Context,
  merchant: Merchant,
  { records, isDryRun = false }: ImportOrder<T>,
  write: (within: Context, tx: Queryable, record: T) => Promise<ImportOutcome>,
): Promise<ImportOutcome[]> {
  return orUndone(
    context.driver.transaction(async (tx) => {
      // Two imports of one file wait for each other, so that neither meets a key that it has just looked up.
      await lockMerchant(tx, merchant.id);
      const within = joining(context, tx);
      const done: ImportOutcome[] = [];
      for (const record of records) done.push(await write(within, tx, record));
      if (isDryRun) throw new Undo(done);
      return done;
    }),
  );
}

/** The context for use cases that join a transaction, and are committed with it. */
function joining(context: Context, tx: Queryable): Context {
  const driver: Driver = {
    query: (sql, params) => tx.query(sql, params),
    transaction: (run) => run(tx),
    exclusive: (run) => run(tx),
    enter: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  return { ...context, driver };
}
