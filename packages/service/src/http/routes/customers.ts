import { getCustomer } from "../../use-cases/customers.ts";
import { refuse } from "../problem.ts";
import { type GetRoute, pathParameter } from "../route.ts";

/** `GET /v1/customers/{CUSTOMER_ID}` (S 4.2). */
export const getCustomerRoute: GetRoute = {
  method: "GET",
  scope: "core",
  writes: "customer",
  answer: async ({ context, merchant, request }) => {
    const outcome = await getCustomer(
      context,
      merchant,
      pathParameter(request, "customerId") ?? "",
    );
    if (!outcome.ok) throw refuse(outcome.code);
    return { status: 200, body: outcome.customer };
  },
};
