import { newId } from "../ids.ts";
import type { Queryable } from "../store/driver.ts";
import { instantOf } from "../store/tables/clocks.ts";
import {
  lockCustomer,
  findPreferredAccount,
  insertAccount,
  updateAccount,
  type AccountRecord,
} from "../store/tables/customers.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import type { Context } from "./context.ts";
import { linkedAccountResource } from "./resources/customer-resource.ts";
import { writeEvent } from "./write-event.ts";

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
 * Links a bank account to a customer (S 1, preconditions; S 2.3). A preferred one takes the place of
 * the account that was preferred before, which gets an `account.updated` of its own. The customer's
 * status is moved by activating alone.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function linkAccount(
  context: Context,
  merchant: Merchant,
  account: NewAccount,
): Promise<LinkAccountOutcome> {
  const { customerId, preferred = true } = account;
  const outcome = await context.driver.transaction<LinkAccountOutcome>(async (tx) => {
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
  if (outcome.ok) context.onWork();
  return outcome;
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
