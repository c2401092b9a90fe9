import type { ErrorCode, MemberCode } from "../error-codes.ts";
import type { ExistingRefund } from "../use-cases/ask-refund.ts";

/** A member of the request that is wrong. */
export interface MemberError {
  /** JSON Pointer (RFC 6901); a missing member has its own. */
  readonly pointer: string;
  /** For programs: the member's own code, or what is wrong with the form. */
  readonly code: ErrorCode | MemberCode;
  /** For people, without the value. */
  readonly message: string;
}

export interface Refusal {
  /** A code of the registry, or of whoever adds routes. */
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly message: string;
  readonly errors?: readonly MemberError[];
  readonly existing?: ExistingRefund;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Ends a call with a problem body. Says nothing that the caller may not read. */
export class Refused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = new.target.name;
    this.refusal = refusal;
  }
}
