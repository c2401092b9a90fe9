import { newId } from "../ids.ts";
import { instantOf } from "../store/tables/clocks.ts";
import { insertCustomer, type CustomerRecord } from "../store/tables/customers.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import type { Context } from "./context.ts";
import { customerResource } from "./resources/customer-resource.ts";
import { writeEvent } from "./write-event.ts";

export interface NewCustomer {
  /** Up to 255 characters, as `lastName`. */
  readonly firstName: string;
  readonly lastName: string;
  /** `local@domain`, up to 254 characters. */
  readonly email: string;
}

/**
 * Makes a customer, CREATED and without an account (S 2.3, S 3.2).
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function createCustomer(
  context: Context,
  merchant: Merchant,
  { firstName, lastName, email }: NewCustomer,
): Promise<CustomerRecord> {
  const customer = await context.driver.transaction(async (tx) => {
    const createdAt = await instantOf(tx, context.clock, merchant.clockId);
    const id = newId(context.random, "cus");
    const record: CustomerRecord = { id, firstName, lastName, email, status: "CREATED", createdAt };
    await insertCustomer(tx, merchant, record);
    const data = customerResource(record, undefined);
    await writeEvent(tx, context, merchant, { kind: "customer.created", data, at: createdAt });
    return record;
  });
  context.onWork();
  return customer;
}
