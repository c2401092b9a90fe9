import { Refused } from "@countersign/service";

/** What the controls refuse beyond the codes of the interface. Codes are never renamed. */
export type SandboxErrorCode =
  | "FOREIGN_HOST"
  | "FOREIGN_ORIGIN"
  | "CUSTOMER_NOT_LINKED"
  | "INVALID_TRANSITION"
  | "LATE_RETURN_UNSUPPORTED"
  | "CLOCK_GOES_FORWARD"
  | "CLOCK_OUT_OF_RANGE"
  | "DELIVERY_NOT_FOUND"
  | "INJECTED_FAULT";

const refusals: Readonly<
  Record<SandboxErrorCode, readonly [status: number, title: string, message: string]>
> = {
  FOREIGN_HOST: [
    403,
    "Foreign host",
    "The Host is not a loopback one with this port, nor allowed.",
  ],
  FOREIGN_ORIGIN: [403, "Foreign origin", "The call comes from a page of another site."],
  CUSTOMER_NOT_LINKED: [422, "Customer not linked", "The customer has no linked account."],
  INVALID_TRANSITION: [409, "Invalid transition", "The present state does not admit this move."],
  LATE_RETURN_UNSUPPORTED: [
    422,
    "Late return unsupported",
    "In this profile an AUTHORIZED refund is final: the bank returns none.",
  ],
  CLOCK_GOES_FORWARD: [409, "Clock goes forward", "The clock shows a later time already."],
  CLOCK_OUT_OF_RANGE: [422, "Clock out of range", "The clock goes no further than 2035-12-01."],
  DELIVERY_NOT_FOUND: [404, "Delivery not found", "There is no such delivery."],
  INJECTED_FAULT: [500, "Injected fault", "This answer was asked for with PUT /sandbox/faults."],
};

/** The refusal of a code of the sandbox's own. */
export function refuseControl(
  code: SandboxErrorCode,
  details: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): Refused {
  const [status, title, message] = refusals[code];
  return new Refused({ code, status, title, message, ...details });
}
