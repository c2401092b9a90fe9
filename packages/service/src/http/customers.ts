import { getCustomer } from "../use-cases/customers.ts";
import { pathParameter } from "./path-parameter.ts";
import { refuse } from "./refuse.ts";
import type { GetRoute } from "./route.ts";

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
