/** Points at which a delivering process can be ended, in the order in which a delivery passes them. */
export const DELIVERY_POINTS = [
  "inside the lease",
  "after the lease",
  "before the POST",
  "within the POST",
  "after the answer",
  "inside the completion",
  "after the completion",
] as const;

export type DeliveryPoint = (typeof DELIVERY_POINTS)[number];

/** Options of the process, as JSON in its first argument. It says `ready` when it delivers. */
export interface DelivererOptions {
  readonly name: string;
  /** `postgres://…`, or the path of a SQLite file. */
  readonly database: string;
  /** A file with a line for each crash at a point, and for each step of wall time. */
  readonly crashes: string;
  /** Milliseconds for which a process counts as alive after its last heartbeat. */
  readonly leaseMs: number;
  /** Offset of the process's clock, in milliseconds. */
  readonly ahead: number;
  /** Ends the process when this point is passed for the `pass`th time, from 1. */
  readonly crash?: { readonly point: DeliveryPoint; readonly pass: number };
  /** A fault that a campaign must find. */
  readonly flaw?: "completes first";
}

/** Milliseconds that one attempt may take. */
export const DEADLINE_MS = 1000;
/** Concurrent attempts of one process; more are then ready to begin. */
export const CONCURRENCY = 8;
