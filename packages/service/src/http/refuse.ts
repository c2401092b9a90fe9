import { errorCodes, type ErrorCode, type ErrorCodeEntry } from "../error-codes.ts";
import { Refused, type Refusal } from "./refused.ts";

/** The refusal of a registered code, with its status and words where the case gives no others. */
export function refuse(code: ErrorCode, details: Partial<Omit<Refusal, "code">> = {}): Refused {
  const { status = 500, title, meaning }: ErrorCodeEntry = errorCodes[code];
  return new Refused({ code, status, title, message: meaning, ...details });
}
