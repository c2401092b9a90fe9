/** What the controls refuse beyond the codes of the interface. Codes are never renamed. */
export const sandboxErrorCodes = {
  FOREIGN_HOST: {
    status: 403,
    title: "Foreign host",
    meaning: "The Host is not a loopback one with this port, nor allowed.",
  },
  FOREIGN_ORIGIN: {
    status: 403,
    title: "Foreign origin",
    meaning: "The call comes from a page of another site.",
  },
  CUSTOMER_NOT_LINKED: {
    status: 422,
    title: "Customer not linked",
    meaning: "The customer has no linked account.",
  },
  INVALID_TRANSITION: {
    status: 409,
    title: "Invalid transition",
    meaning: "The present state does not admit this move.",
  },
  LATE_RETURN_UNSUPPORTED: {
    status: 422,
    title: "Late return unsupported",
    meaning: "In this profile an AUTHORIZED refund is final: the bank returns none.",
  },
  CLOCK_GOES_FORWARD: {
    status: 409,
    title: "Clock goes forward",
    meaning: "The clock shows a later time already.",
  },
  CLOCK_OUT_OF_RANGE: {
    status: 422,
    title: "Clock out of range",
    meaning:
      "The clock goes no further than the bank calendar: with the built-in profiles, to 2035-12-01.",
  },
  DELIVERY_NOT_FOUND: {
    status: 404,
    title: "Delivery not found",
    meaning: "There is no such delivery.",
  },
  NO_TARGET: {
    status: 409,
    title: "No target",
    meaning: "The sandbox was started without --deliver-to, which names the page's one receiver.",
  },
  CHECKS_RUNNING: {
    status: 409,
    title: "Checks running",
    meaning: "A run of the checks is under way; one can run at a time.",
  },
  CHECKS_UNAVAILABLE: {
    status: 409,
    title: "Checks unavailable",
    meaning: "This sandbox was started without the checks of a receiver.",
  },
  INJECTED_FAULT: {
    status: 500,
    title: "Injected fault",
    meaning: "This answer was asked for with PUT /sandbox/faults, which also sets its status.",
  },
} as const;

export type SandboxErrorCode = keyof typeof sandboxErrorCodes;
