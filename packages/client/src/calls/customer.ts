import type { Customer } from "@countersign/schemas";
import { validateCustomer } from "@countersign/schemas/readers";
import { validateIdentifier } from "@countersign/schemas/writers";
import type { Prepared } from "../call.ts";
import { invalidMembers } from "./members.ts";

/** `GET /v1/customers/{CUSTOMER_ID}` (S 4.2). */
export function customerCall(customerId: string): Prepared<Customer> {
  const validation = validateIdentifier(customerId);
  if (!validation.ok) return { ok: false, errors: invalidMembers(validation.errors) };
  return {
    ok: true,
    call: {
      name: "customer",
      method: "GET",
      // An identifier needs no encoding.
      path: `/v1/customers/${validation.value}`,
      isIdempotent: true,
      changes: false,
      secrets: [],
      validate: validateCustomer,
    },
  };
}
