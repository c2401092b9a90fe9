import type { Response } from "express";

/** What is known of a call for its log line and its answer; filled in as the call goes on. */
export interface CallFacts {
  readonly requestId: string;
  merchantId: string | undefined;
  errorCode: string | undefined;
}

export function setFacts(response: Response, facts: CallFacts): void {
  response.locals["facts"] = facts;
}

/** @throws {Error} The call did not pass through this service's application. */
export function factsOf(response: Response): CallFacts {
  // `setFacts` alone writes this member.
  const facts = response.locals["facts"] as CallFacts | undefined;
  if (facts === undefined) throw new Error("the call has no facts");
  return facts;
}
