import type { Target } from "./attempt.ts";
import { isFailing, type Pace } from "./decisions.ts";
import type { Cursor, DueDelivery, Endpoint } from "./types.ts";

/** An endpoint that this process leases, with the part of its queue that was read. */
export interface Held {
  readonly endpoint: Endpoint;
  readonly target: Target;
  /** False for a namespace's clock, which stands still while its deliveries are made: they are not paced. */
  readonly isLive: boolean;
  pace: Pace;
  /** Deliveries up to here have been read. */
  cursor: Cursor;
  /** Deliveries that were read and have not started, in the order of the queue. */
  ready: DueDelivery[];
  /** Monotonic time at which the oldest of them was read. */
  readyAt: number;
  /** Ids of deliveries that are ready, in flight, or not recorded yet: a second read leaves them out. */
  readonly open: Set<string>;
  inFlight: number;
  /** True if the last read left due deliveries behind. */
  hasMore: boolean;
  /** When the first delivery behind the cursor is due, on the endpoint's clock. */
  nextAt: number | undefined;
  /** The endpoint's clock at the last read; namespaces' clocks stand still between moves. */
  clockNow: number;
  /** Duration of the last attempt; `undefined` before the first one. */
  lastMs: number | undefined;
  /** Monotonic times of the last read, of the last one from the beginning, and of the last delivery. */
  readAt: number;
  fullReadAt: number;
  usedAt: number;
  /** Changes during a read, which may not see them. */
  reading: Reading | undefined;
}

interface Reading {
  /** The earliest due time that was noticed, on the endpoint's clock. */
  noticedAt: number;
  /** Ids of deliveries whose attempts were recorded. */
  readonly recorded: Set<string>;
}

/** The place before all deliveries. */
export const BEGINNING: Cursor = { nextAt: -1, seq: 0 };
/** No sequence number is larger. */
export const LAST_SEQ: number = Number.MAX_SAFE_INTEGER;

/** An endpoint whose queue was not read yet. @param start `now`: monotonic time, in milliseconds. */
export function newHeld(
  endpoint: Endpoint,
  target: Target,
  { now, pace }: { readonly now: number; readonly pace: Pace },
): Held {
  return {
    endpoint,
    target,
    isLive: endpoint.clockId === "live",
    pace,
    cursor: BEGINNING,
    ready: [],
    readyAt: now,
    open: new Set(),
    inFlight: 0,
    hasMore: true,
    nextAt: undefined,
    clockNow: 0,
    lastMs: undefined,
    readAt: now,
    fullReadAt: now,
    usedAt: now,
    reading: undefined,
  };
}

/** The order of a queue. */
export const byPlace = (one: Cursor, other: Cursor): number =>
  one.nextAt - other.nextAt || one.seq - other.seq;

/** True if the endpoint only fails: all such endpoints share one slow pace. */
export const isPaced = ({ isLive, pace }: Held): boolean => isLive && isFailing(pace);

/** True if no attempt of a live endpoint starts because of its last overload. */
export const isResting = ({ isLive, pace }: Held, now: number): boolean =>
  isLive && pace.restsUntil > now;
