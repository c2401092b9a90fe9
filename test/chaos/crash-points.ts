import { appendFileSync } from "node:fs";

/** Points at which a merchant's process can be ended, in the order in which an attempt passes them. */
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

/** The same if an event is acknowledged once it is stored, and a worker handles it. */
export const STORED_CRASH_POINTS = [
  "request arrived",
  "before the store",
  "after the store",
  "before the answer",
  "before the take",
  "after the take",
  "handler began",
  "after the call outside",
  "before the commit",
  "after the commit",
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number] | (typeof STORED_CRASH_POINTS)[number];

/** Store of the inbox's events and of the merchant's bookings. */
export type MerchantStore =
  | { readonly kind: "sqlite"; readonly path: string }
  /** Servers on loopback, which keep running when the merchant ends. Redis has no transaction: it books outside. */
  | { readonly kind: "postgres"; readonly port: number; readonly database: string }
  | { readonly kind: "redis"; readonly port: number };

/** Options of the process, as JSON in its first argument. */
export interface MerchantOptions {
  readonly store: MerchantStore;
  readonly acknowledge: "after-handler" | "after-store";
  /** `per-resource` with events that share resources. */
  readonly order: "none" | "per-resource";
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

/** Ends this process by SIGKILL when it passes a point for the `pass`th time, and adds the point to a file. */
export function crashingAt(
  crash: MerchantOptions["crash"],
  file: string,
): (point: CrashPoint) => void {
  let passes = 0;
  return (point) => {
    if (crash?.point !== point) return;
    passes += 1;
    if (passes !== crash.pass) return;
    appendFileSync(file, `${point}\n`);
    process.kill(process.pid, "SIGKILL");
  };
}
