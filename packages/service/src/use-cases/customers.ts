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
import type { Context, Refusal } from "./context.ts";
import { customerResource, linkedAccountResource } from "./resources.ts";
import { writeEvent } from "./write-event.ts";

/** Returns a customer with the linked account (S 4.2). Another merchant's is not found. */
export async function getCustomer(
  { driver }: Pick<Context, "driver">,
  merchant: Merchant,
  customerId: string,
): Promise<{ readonly ok: true; readonly customer: Customer } | Refusal<"CUSTOMER_NOT_FOUND">> {
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

/** Creates a customer, in status CREATED and without an account (S 2.3, S 3.2). */
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

/** `INVALID_TRANSITION`: the customer's status does not permit the move. */
type MoveCustomerOutcome =
  | { readonly ok: true; readonly customer: CustomerRecord }
  | Refusal<"CUSTOMER_NOT_FOUND" | "INVALID_TRANSITION">;

/**
 * Activates or deactivates a customer (S 3.2), with its event. Does nothing if the customer has the status
 * already. Payments of an INACTIVE customer can still be refunded.
 */
export async function moveCustomer(
  context: Context,
  merchant: Merchant,
  { customerId, move }: { readonly customerId: string; readonly move: "activate" | "deactivate" },
): Promise<MoveCustomerOutcome> {
  const merchantId = merchant.id;
  const goal: CustomerStatus = move === "activate" ? "ACTIVE" : "INACTIVE";
  return context.driver.transaction<MoveCustomerOutcome>(async (tx) => {
    const before = await lockCustomer(tx, { merchantId, id: customerId });
    if (before === undefined) return { ok: false, code: "CUSTOMER_NOT_FOUND" };
    if (before.status === goal) return { ok: true, customer: before };
    const isAdmitted = context.policy.customer.transitions.some(
      ({ from, to }) => from === before.status && to === goal,
    );
    if (!isAdmitted) return { ok: false, code: "INVALID_TRANSITION" };
    await setCustomerStatus(tx, { merchantId, id: customerId, status: goal });
    const customer = { ...before, status: goal };
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

type AccountOutcome<Code extends string> =
  | { readonly ok: true; readonly account: AccountRecord }
  | Refusal<Code>;

/**
 * Links a bank account to a customer (S 1, preconditions; S 2.3). A preferred account replaces the earlier
 * preferred one, which gets an `account.updated` event. The customer's status stays.
 */
export async function linkAccount(
  context: Context,
  merchant: Merchant,
  account: NewAccount,
): Promise<AccountOutcome<"CUSTOMER_NOT_FOUND">> {
  const { customerId, preferred = true } = account;
  return context.driver.transaction<AccountOutcome<"CUSTOMER_NOT_FOUND">>(async (tx) => {
    const customer = await lockCustomer(tx, { merchantId: merchant.id, id: customerId });
    if (customer === undefined) return { ok: false, code: "CUSTOMER_NOT_FOUND" };
    const at = await instantOf(tx, context.clock, merchant.clockId);
    if (preferred) await demotePreferred(tx, context, merchant, { customerId, at });

    const { institution, lastFour, type } = account;
    const id = newId(context.random, "acc");
    const base = { id, customerId, institution, lastFour, type, preferred };
    const record: AccountRecord = { ...base, status: "ACTIVE", createdAt: at };
    await insertAccount(tx, { ...record, merchantId: merchant.id });
    const data = linkedAccountResource(record);
    await writeEvent(tx, context, merchant, { kind: "account.linked", data, at });
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
  const data = linkedAccountResource(demoted);
  await writeEvent(tx, context, merchant, { kind: "account.updated", data, at });
}

type DeactivateAccountOutcome = AccountOutcome<"CUSTOMER_NOT_FOUND" | "CUSTOMER_NOT_LINKED">;

/** Deactivates the account shown with a customer, with its event. Does nothing if it is INACTIVE already. */
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
    const data = linkedAccountResource(account);
    const at = await instantOf(tx, context.clock, merchant.clockId);
    await writeEvent(tx, context, merchant, { kind: "account.deactivated", data, at });
    return { ok: true, account };
  });
}
