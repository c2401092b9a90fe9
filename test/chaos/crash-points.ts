/** Where a merchant's process can be made to end, in the order in which an attempt passes them. */
export const CRASH_POINTS = [
  "request arrived",
  "before the claim",
  "after the claim",
  "handler began",
  "in the middle of the handler",
  "after the call outside",
  "before the commit",
  "inside the transaction",
  "after the commit",
  "before the answer",
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** What the process is told, as JSON in its first argument. */
export interface MerchantOptions {
  /** The SQLite file of the inbox and of the merchant's own table. */
  readonly database: string;
  /** A file with a line for each call outside: such a call is in no transaction. */
  readonly outside: string;
  /** A file with a line for each crash at a point. */
  readonly crashes: string;
  /** The receiver's clock, in milliseconds since 1970; it stands. */
  readonly now: number;
  /** Ends the process when this point is passed for the `pass`th time, from 1. */
  readonly crash?: { readonly point: CrashPoint; readonly pass: number };
  /** A fault that a campaign must find. */
  readonly flaw?: "acknowledges first" | "writes outside the transaction";
}
