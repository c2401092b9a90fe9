import type { Transition } from "./transition.ts";

export type CustomerStatus = "CREATED" | "ACTIVE" | "INACTIVE";
export type CustomerMove = "activate" | "deactivate";

/** Every move of a customer (S 3.2). None leads back to `CREATED`. */
export const customerTransitions: readonly Transition<CustomerStatus, "create" | CustomerMove>[] = [
  {
    from: undefined,
    trigger: "create",
    condition: undefined,
    to: "CREATED",
    effect: "customer.created",
  },
  {
    from: "CREATED",
    trigger: "activate",
    condition: undefined,
    to: "ACTIVE",
    effect: "customer.activated",
  },
  {
    from: "ACTIVE",
    trigger: "deactivate",
    condition: undefined,
    to: "INACTIVE",
    effect: "customer.deactivated",
  },
  {
    from: "INACTIVE",
    trigger: "activate",
    condition: undefined,
    to: "ACTIVE",
    effect: "customer.activated",
  },
  {
    from: "CREATED",
    trigger: "deactivate",
    condition: undefined,
    to: "INACTIVE",
    effect: "customer.deactivated",
  },
];

/** Returns the customer's next status (S 3.2), or `undefined` if `from` does not admit the move. */
export function moveCustomer(from: CustomerStatus, move: CustomerMove): CustomerStatus | undefined {
  return customerTransitions.find((row) => row.from === from && row.trigger === move)?.to;
}
