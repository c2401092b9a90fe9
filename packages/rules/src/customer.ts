export type CustomerStatus = "CREATED" | "ACTIVE" | "INACTIVE";
export type CustomerMove = "activate" | "deactivate";

/** Every move of a customer (S 3.2). None leads back to `CREATED`. */
export const customerTransitions: readonly {
  /** `undefined`: the customer does not exist yet. */
  readonly from: CustomerStatus | undefined;
  readonly trigger: "create" | CustomerMove;
  readonly to: CustomerStatus;
}[] = [
  { from: undefined, trigger: "create", to: "CREATED" },
  { from: "CREATED", trigger: "activate", to: "ACTIVE" },
  { from: "ACTIVE", trigger: "deactivate", to: "INACTIVE" },
  { from: "INACTIVE", trigger: "activate", to: "ACTIVE" },
  { from: "CREATED", trigger: "deactivate", to: "INACTIVE" },
];

/** Returns the customer's next status (S 3.2), or `undefined` if `from` does not admit the move. */
export function moveCustomer(from: CustomerStatus, move: CustomerMove): CustomerStatus | undefined {
  return customerTransitions.find((row) => row.from === from && row.trigger === move)?.to;
}
