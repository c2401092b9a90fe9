import { moveCustomer as nextStatus } from "@countersign/rules";
import type { Customer } from "@countersign/schemas";
import { newId } from "../random.ts";
import type { Queryable } from "../store/driver.ts";
import { instantOf } from "../store/tables/clocks.ts";
import {
  findCustomer,
  findPreferredAccount,
  insertCustomer,
  lockCustomer,
  setCustomerStatus,
  insertAccount,
  updateAccount,
  type CustomerRecord,
  type CustomerStatus,
  type AccountRecord,
} from "../store/tables/customers.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import type { Context } from "./context.ts";
import { customerResource, linkedAccountResource } from "./resources.ts";
import { writeEvent } from "./write-event.ts";

export type GetCustomerOutcome =
  | { readonly ok: true; readonly customer: Customer }
  /** The same for another merchant's customer. */
  | { readonly ok: false; readonly code: "CUSTOMER_NOT_FOUND" };

/** Returns a customer with the linked account (S 4.2). */
export async function getCustomer(
  { driver }: Pick<Context, "driver">,
  merchant: Merchant,
  customerId: string,
): Promise<GetCustomerOutcome> {
  const merchantId = merchant.id;
  const customer = await findCustomer(driver, { merchantId, id: customerId });
  if (customer === undefined) return { ok: false, code: "CUSTOMER_NOT_FOUND" };
  const account = await findPreferredAccount(driver, { merchantId, customerId });
  return { ok: true, customer: customerResource(customer, account) };
}

export interface NewCustomer {
  /** An id that no customer of any merchant has. Default: a new one. */
  readonly id?: string;
  /** Up to 255 characters, as `lastName`. */
  readonly firstName: string;
  readonly lastName: string;
  /** `local@domain`, up to 254 characters. */
  readonly email: string;
}

/**
 * Creates a customer, in status CREATED and without an account (S 2.3, S 3.2).
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function createCustomer(
  context: Context,
  merchant: Merchant,
  { id = newId(context.random, "cus"), firstName, lastName, email }: NewCustomer,
): Promise<CustomerRecord> {
  return context.driver.transaction(async (tx) => {
    const createdAt = await instantOf(tx, context.clock, merchant.clockId);
    const record: CustomerRecord = { id, firstName, lastName, email, status: "CREATED", createdAt };
    await insertCustomer(tx, merchant, record);
    const data = customerResource(record, undefined);
    await writeEvent(tx, context, merchant, { kind: "customer.created", data, at: createdAt });
    return record;
  });
}

export type MoveCustomerOutcome =
  | { readonly ok: true; readonly customer: CustomerRecord }
  /** `INVALID_TRANSITION`: the customer's status does not permit the move. */
  | { readonly ok: false; readonly code: "CUSTOMER_NOT_FOUND" | "INVALID_TRANSITION" };

interface CustomerMove {
  readonly customerId: string;
  readonly move: "activate" | "deactivate";
}

/**
 * Activates or deactivates a customer (S 3.2), with its event. Does nothing if the customer has the status
 * already. Payments of an INACTIVE customer can still be refunded.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function moveCustomer(
  context: Context,
  merchant: Merchant,
  { customerId, move }: CustomerMove,
): Promise<MoveCustomerOutcome> {
  const merchantId = merchant.id;
  const goal: CustomerStatus = move === "activate" ? "ACTIVE" : "INACTIVE";
  return context.driver.transaction<MoveCustomerOutcome>(async (tx) => {
    const before = await lockCustomer(tx, { merchantId, id: customerId });
    if (before === undefined) return { ok: false, code: "CUSTOMER_NOT_FOUND" };
    if (before.status === goal) return { ok: true, customer: before };
    const status = nextStatus(before.status, move);
    const isAdmitted = context.policy.customer.transitions.some(
      ({ from, to }) => from === before.status && to === status,
    );
    if (status === undefined || !isAdmitted) return { ok: false, code: "INVALID_TRANSITION" };
    const change = { merchantId, id: customerId, from: before.status, to: status };
    // The row is locked; the update checks the status nevertheless.
    if (!(await setCustomerStatus(tx, change))) return { ok: false, code: "INVALID_TRANSITION" };
    const customer = { ...before, status };
    const account = await findPreferredAccount(tx, { merchantId, customerId });
    await writeEvent(tx, context, merchant, {
      kind: move === "activate" ? "customer.activated" : "customer.deactivated",
      data: customerResource(customer, account),
      at: await instantOf(tx, context.clock, merchant.clockId),
    });
    return { ok: true, customer };
  });
}

export interface NewAccount {
  readonly customerId: string;
  /** Name of the bank, 1 to 255 characters. */
  readonly institution: string;
  /** Four digits; text, since a leading zero counts. */
  readonly lastFour: string;
  /** One of the profile's types of accounts (S 2.3). */
  readonly type: string;
  /** Default: true. */
  readonly preferred?: boolean;
}

export type LinkAccountOutcome =
  | { readonly ok: true; readonly account: AccountRecord }
  | { readonly ok: false; readonly code: "CUSTOMER_NOT_FOUND" };

/**
 * Links a bank account to a customer (S 1, preconditions; S 2.3). A preferred account replaces the earlier
 * preferred one, which gets an `account.updated` event. The customer's status stays.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function linkAccount(
  context: Context,
  merchant: Merchant,
  account: NewAccount,
): Promise<LinkAccountOutcome> {
  const { customerId, preferred = true } = account;
  return context.driver.transaction<LinkAccountOutcome>(async (tx) => {
    const customer = await lockCustomer(tx, { merchantId: merchant.id, id: customerId });
    if (customer === undefined) return { ok: false, code: "CUSTOMER_NOT_FOUND" };
    const at = await instantOf(tx, context.clock, merchant.clockId);
    if (preferred) await demotePreferred(tx, context, merchant, { customerId, at });

    const { institution, lastFour, type } = account;
    const id = newId(context.random, "acc");
    const base = { id, customerId, institution, lastFour, type, preferred };
    const record: AccountRecord = { ...base, status: "ACTIVE", createdAt: at };
    await insertAccount(tx, { ...record, merchantId: merchant.id });
    await writeEvent(tx, context, merchant, {
      kind: "account.linked",
      data: linkedAccountResource(record),
      at,
    });
    return { ok: true, account: record };
  });
}

async function demotePreferred(
  tx: Queryable,
  context: Context,
  merchant: Merchant,
  { customerId, at }: { customerId: string; at: number },
): Promise<void> {
  const shown = await findPreferredAccount(tx, { merchantId: merchant.id, customerId });
  if (shown?.preferred !== true) return;
  const demoted = { ...shown, preferred: false };
  await updateAccount(tx, { ...demoted, merchantId: merchant.id });
  await writeEvent(tx, context, merchant, {
    kind: "account.updated",
    data: linkedAccountResource(demoted),
    at,
  });
}

export type DeactivateAccountOutcome =
  | { readonly ok: true; readonly account: AccountRecord }
  | { readonly ok: false; readonly code: "CUSTOMER_NOT_FOUND" | "CUSTOMER_NOT_LINKED" };

/**
 * Deactivates the account shown with a customer, with its event. Does nothing if it is INACTIVE already.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function deactivateAccount(
  context: Context,
  merchant: Merchant,
  { customerId }: { customerId: string },
): Promise<DeactivateAccountOutcome> {
  const merchantId = merchant.id;
  return context.driver.transaction<DeactivateAccountOutcome>(async (tx) => {
    const customer = await lockCustomer(tx, { merchantId, id: customerId });
    if (customer === undefined) return { ok: false, code: "CUSTOMER_NOT_FOUND" };
    const before = await findPreferredAccount(tx, { merchantId, customerId });
    if (before === undefined) return { ok: false, code: "CUSTOMER_NOT_LINKED" };
    if (before.status === "INACTIVE") return { ok: true, account: before };
    const account = { ...before, status: "INACTIVE" };
    await updateAccount(tx, { ...account, merchantId });
    const at = await instantOf(tx, context.clock, merchant.clockId);
    await writeEvent(tx, context, merchant, {
      kind: "account.deactivated",
      data: linkedAccountResource(account),
      at,
    });
    return { ok: true, account };
  });
}
