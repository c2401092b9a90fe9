import {
  createCustomer,
  customerResource,
  deactivateAccount,
  findPreferredAccount,
  flag,
  getCustomer,
  linkAccount,
  listCustomers,
  moveCustomer,
  oneOf,
  optional,
  text,
  type Call,
  type CustomerRecord,
  type ErrorCode,
  type Members,
  type Merchant,
  type Route,
  type Routes,
  type Spec,
} from "@countersign/service/internal";
import { refuse, type SandboxErrorCode } from "../refusals.ts";
import { get, listed, parameter, post } from "./call.ts";

const CUSTOMER = "/sandbox/customers/:customerId";

/** @param accountTypes Values of the profile; the first is the default. */
export const customerRoutes = (accountTypes: readonly string[]): Routes => ({
  "/sandbox/customers": [
    get(async (call) => {
      const records = await listCustomers(call.context.driver, listed(call));
      const customers = await Promise.all(records.map((record) => resourceOf(call, record)));
      return { customers };
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
      async (call, order) => {
        const sample = { firstName: "Ada", lastName: "Sample", email: "ada.sample@example.test" };
        const { context, merchant } = call;
        return resourceOf(call, await createCustomer(context, merchant, { ...sample, ...order }));
      },
    ),
  ],
  [`${CUSTOMER}/link`]: [
    move(
      {
        financialInstitutionName: optional(text(255)),
        accountLastFourDigits: optional(text(4, { min: 4, pattern: /^\d{4}$/, words: "digits" })),
        accountType: optional(oneOf(...accountTypes)),
        preferred: optional(flag),
      },
      (context, merchant, order) =>
        linkAccount(context, merchant, {
          customerId: order.customerId,
          institution: order.financialInstitutionName ?? "First Sample Bank",
          lastFour: order.accountLastFourDigits ?? "6789",
          type: order.accountType ?? accountTypes[0] ?? "checking",
          preferred: order.preferred ?? true,
        }),
    ),
  ],
  // The linked account becomes INACTIVE.
  [`${CUSTOMER}/unlink`]: [move({}, deactivateAccount)],
  // S 3.2
  [`${CUSTOMER}/activate`]: [moveTo("activate")],
  [`${CUSTOMER}/deactivate`]: [moveTo("deactivate")],
});

function moveTo(goal: "activate" | "deactivate"): Route {
  return move({}, (context, merchant, { customerId }) =>
    moveCustomer(context, merchant, { customerId, move: goal }),
  );
}

type Moved =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: SandboxErrorCode | ErrorCode };

/** A route that changes a customer and answers with its new state. */
function move<S extends Spec>(
  spec: S,
  change: (
    context: Call["context"],
    merchant: Merchant,
    order: Members<S> & { readonly customerId: string },
  ) => Promise<Moved>,
): Route {
  return post(200, spec, async (call, members) => {
    const { context, merchant } = call;
    const customerId = parameter(call, "customerId");
    const moved = await change(context, merchant, { ...members, customerId });
    if (!moved.ok) throw refuse(moved.code);
    const found = await getCustomer(context, merchant, customerId);
    if (!found.ok) throw refuse(found.code);
    return found.customer;
  });
}

async function resourceOf({ context, merchant }: Call, customer: CustomerRecord): Promise<object> {
  const named = { merchantId: merchant.id, customerId: customer.id };
  return customerResource(customer, await findPreferredAccount(context.driver, named));
}
