import {
  customerResource,
  findPreferredAccount,
  listCustomers,
  pathParameter,
  refuse,
  useCasesOf,
  type BodyRoute,
  type Call,
  type CustomerRecord,
  type Route,
} from "@countersign/service";
import { listLimit } from "../list-limit.ts";
import { flag, oneOf, optional, readMembers, text } from "../members.ts";
import { refuseControl } from "../refusals.ts";

/** `GET /sandbox/customers` */
export const getCustomers: Route = {
  method: "GET",
  scope: undefined,
  answer: async (call) => {
    const { context, merchant } = call;
    const records = await listCustomers(context.driver, {
      merchantId: merchant.id,
      limit: listLimit(call),
    });
    const customers = await Promise.all(records.map((record) => resourceOf(call, record)));
    return { status: 200, body: { customers } };
  },
};

/** `POST /sandbox/customers`: a customer, CREATED and without an account. Every member has a default. */
export const postCustomer: Route = {
  method: "POST",
  scope: undefined,
  answer: async (call) => {
    const { context, merchant, body } = call;
    const order = readMembers(body, {
      firstName: optional(text({ max: 255 })),
      lastName: optional(text({ max: 255 })),
      email: optional(
        text({ max: 254, pattern: [/^[^\s@]+@[^\s@]+$/, "characters, as local@domain"] }),
      ),
    });
    const customer = await useCasesOf(context).createCustomer(merchant, {
      firstName: order.firstName ?? "Ada",
      lastName: order.lastName ?? "Sample",
      email: order.email ?? "ada.sample@example.test",
    });
    return { status: 201, body: await resourceOf(call, customer) };
  },
};

/**
 * `POST /sandbox/customers/{id}/link`: a bank account. Every member has a default.
 *
 * @param types Of accounts, as the profile has them; the first is the default.
 */
export const postLink = (types: readonly string[]): BodyRoute => ({
  method: "POST",
  scope: undefined,
  answer: async (call) => {
    const { context, merchant, body } = call;
    const order = readMembers(body, {
      financialInstitutionName: optional(text({ max: 255 })),
      accountLastFourDigits: optional(text({ min: 4, max: 4, pattern: [/^\d{4}$/, "digits"] })),
      accountType: optional(oneOf(...types)),
      preferred: optional(flag),
    });
    const customerId = customerIdOf(call);
    const linked = await useCasesOf(context).linkAccount(merchant, {
      customerId,
      institution: order.financialInstitutionName ?? "First Sample Bank",
      lastFour: order.accountLastFourDigits ?? "6789",
      type: order.accountType ?? types[0] ?? "checking",
      ...(order.preferred !== undefined && { preferred: order.preferred }),
    });
    if (!linked.ok) throw refuse(linked.code);
    return readCustomer(call, customerId);
  },
});

/** `POST /sandbox/customers/{id}/activate`, `…/deactivate` (S 3.2). */
export const postCustomerMove = (move: "activate" | "deactivate"): BodyRoute => ({
  method: "POST",
  scope: undefined,
  answer: async (call) => {
    readMembers(call.body, {});
    const customerId = customerIdOf(call);
    const moved = await useCasesOf(call.context).moveCustomer(call.merchant, { customerId, move });
    if (!moved.ok) {
      throw moved.code === "INVALID_TRANSITION" ? refuseControl(moved.code) : refuse(moved.code);
    }
    return readCustomer(call, customerId);
  },
});

/** `POST /sandbox/customers/{id}/unlink`: the account shown becomes INACTIVE. */
export const postUnlink: Route = {
  method: "POST",
  scope: undefined,
  answer: async (call) => {
    readMembers(call.body, {});
    const customerId = customerIdOf(call);
    const ended = await useCasesOf(call.context).deactivateAccount(call.merchant, { customerId });
    if (!ended.ok) {
      throw ended.code === "CUSTOMER_NOT_LINKED" ? refuseControl(ended.code) : refuse(ended.code);
    }
    return readCustomer(call, customerId);
  },
};

function customerIdOf({ request }: Call): string {
  return pathParameter(request, "customerId") ?? "";
}

async function readCustomer({ context, merchant }: Call, customerId: string) {
  const found = await useCasesOf(context).getCustomer(merchant, customerId);
  if (!found.ok) throw refuse(found.code);
  return { status: 200, body: found.customer };
}

async function resourceOf({ context, merchant }: Call, customer: CustomerRecord) {
  const account = await findPreferredAccount(context.driver, {
    merchantId: merchant.id,
    customerId: customer.id,
  });
  return customerResource(customer, account);
}
