import type { AccountDetails, Customer, LinkedAccount } from "@countersign/schemas";
import type { AccountRecord, CustomerRecord } from "../../store/tables/customers.ts";
import { writtenTime } from "./json-text.ts";

/** A customer as S 2.3 has it; without a linked account there is no `accountDetails` at all. */
export function customerResource(
  customer: CustomerRecord,
  account: AccountRecord | undefined,
): Customer {
  return {
    id: customer.id,
    firstName: customer.firstName,
    lastName: customer.lastName,
    email: customer.email,
    customerStatus: customer.status,
    ...(account && { accountDetails: accountDetails(account) }),
    creationDate: writtenTime(customer.createdAt),
  };
}

/** What account events tell: whose account it is, and the account. */
export function linkedAccountResource(account: AccountRecord): LinkedAccount {
  return { customerId: account.customerId, accountDetails: accountDetails(account) };
}

function accountDetails(account: AccountRecord): AccountDetails {
  return {
    financialInstitutionName: account.institution,
    accountLastFourDigits: account.lastFour,
    accountType: account.type,
    accountStatus: account.status,
    preferred: account.preferred,
    creationDate: writtenTime(account.createdAt),
  };
}
