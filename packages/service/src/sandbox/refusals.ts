import { errorCodes, type ErrorCode } from "../error-codes.ts";
import { refuse as refuseCall, Refused } from "../http/problem.ts";

/** Codes of the controls beyond those of the interface, with status and meaning. Codes are never renamed. */
export const sandboxErrorCodes = {
  FOREIGN_HOST: [403, "The Host is not a loopback one with this port, nor allowed."],
  FOREIGN_ORIGIN: [403, "The call comes from a page of another site."],
  CUSTOMER_NOT_LINKED: [422, "The customer has no linked account."],
  INVALID_TRANSITION: [409, "The present state does not admit this move."],
  CLOCK_GOES_FORWARD: [409, "The clock shows a later time already."],
  CLOCK_OUT_OF_RANGE: [
    422,
    "The clock goes no further than the bank calendar allows: to 2035-06-01.",
  ],
  STATE_NOT_FOUND: [404, "The provider state does not exist, or it does not end in an event."],
  DELIVERY_NOT_FOUND: [404, "The delivery does not exist."],
  NO_TARGET: [
    409,
    "The sandbox was started without --deliver-to, which names the page's one receiver.",
  ],
  CHECKS_RUNNING: [409, "A run of the checks is under way; one can run at a time."],
  INJECTED_FAULT: [
    500,
    "A fault added with PUT /sandbox/faults made this response and set its status.",
  ],
} as const;

export type SandboxErrorCode = keyof typeof sandboxErrorCodes;

/** Returns the refusal of a code of the controls or of the interface. */
export function refuse(
  code: SandboxErrorCode | ErrorCode,
  details: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): Refused {
  if (isOfInterface(code)) return refuseCall(code, details);
  const [status, message] = sandboxErrorCodes[code];
  return new Refused({ code, status, message, ...details });
}

const isOfInterface = (code: string): code is ErrorCode => Object.hasOwn(errorCodes, code);
