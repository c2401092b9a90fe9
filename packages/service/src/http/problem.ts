import {
  errorCodes,
  type ErrorCode,
  type ErrorCodeEntry,
  type MemberCode,
} from "../error-codes.ts";
import type { ExistingRefund } from "../use-cases/ask-refund.ts";

/** A member of the request that is wrong. */
export interface MemberError {
  /** JSON Pointer (RFC 6901); a missing member has its own. */
  readonly pointer: string;
  /** For programs: the member's own code, or the kind of mistake. */
  readonly code: ErrorCode | MemberCode;
  /** For people, without the value. */
  readonly message: string;
}

export interface Refusal {
  /** A code of the registry, or of an added route. */
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly errors?: readonly MemberError[];
  readonly existing?: ExistingRefund;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Ends a call with a problem body. Contains nothing that the caller may not read. */
export class Refused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = new.target.name;
    this.refusal = refusal;
  }
}

/** Creates the refusal of a registered code; `details` replace the registry's status and sentence. */
export function refuse(code: ErrorCode, details: Partial<Omit<Refusal, "code">> = {}): Refused {
  const { status = 500, meaning }: ErrorCodeEntry = errorCodes[code];
  return new Refused({ code, status, message: meaning, ...details });
}
