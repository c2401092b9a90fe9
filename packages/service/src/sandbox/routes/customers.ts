import type { Routes } from "../../http/app.ts";
import { flag, oneOf, optional, text } from "../../http/readers.ts";
import type { Call } from "../../http/route.ts";
import { listCustomers } from "../../store/tables/customers.ts";
import {
  deactivateAccount,
  getCustomer,
  linkAccount,
  moveCustomer,
} from "../../use-cases/customers.ts";
import { accountOf, makeCustomer } from "../records.ts";
import { refuse } from "../refusals.ts";
import { changeRoute, get, listed, post } from "./call.ts";

const CUSTOMER = "/sandbox/customers/:customerId";
const change = changeRoute("customerId", shown);

/** @param accountTypes Values of the profile; the first is the default. */
export const customerRoutes = (accountTypes: readonly string[]): Routes => ({
  "/sandbox/customers": [
    get(async (call) => {
      const records = await listCustomers(call.context.driver, listed(call));
      return { customers: await Promise.all(records.map(({ id }) => shown(call, id))) };
    }),
    // Creates a customer in CREATED and without an account.
    post(
      201,
      {
        firstName: optional(text(255)),
        lastName: optional(text(255)),
        email: optional(
          text(254, { pattern: /^[^\s@]+@[^\s@]+$/, words: "characters, as local@domain" }),
        ),
      },
      async (call, order) => shown(call, await makeCustomer(call, { linked: false, ...order })),
    ),
  ],
  [`${CUSTOMER}/link`]: [
    change(
      {
        financialInstitutionName: optional(text(255)),
        accountLastFourDigits: optional(text(4, { min: 4, pattern: /^\d{4}$/, words: "digits" })),
        accountType: optional(oneOf(...accountTypes)),
        preferred: optional(flag),
      },
      (context, merchant, { customerId, preferred = true, ...order }) => {
        const [accountType] = accountTypes;
        const account = accountOf({ ...(accountType !== undefined && { accountType }), ...order });
        return linkAccount(context, merchant, { customerId, preferred, ...account });
      },
    ),
  ],
  // The linked account becomes INACTIVE.
  [`${CUSTOMER}/unlink`]: [change({}, deactivateAccount)],
  // S 3.2
  ...moveRoute("activate"),
  ...moveRoute("deactivate"),
});

async function shown({ context, merchant }: Call, customerId: string): Promise<object> {
  const found = await getCustomer(context, merchant, customerId);
  if (!found.ok) throw refuse(found.code);
  return found.customer;
}

const moveRoute = (move: "activate" | "deactivate"): Routes => ({
  [`${CUSTOMER}/${move}`]: [
    change({}, (context, merchant, order) => moveCustomer(context, merchant, { ...order, move })),
  ],
});
