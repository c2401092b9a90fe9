import type { Metrics } from "./http/metrics.ts";
import type { Driver } from "./store/driver.ts";
import { readBacklog, type Backlog } from "./store/tables/backlog.ts";
import type { StoreWatch } from "./store/watch.ts";

/** Least time between two readings of the backlog, in milliseconds. */
const BACKLOG_EVERY_MS = 10_000;

interface Ports {
  readonly driver: Driver;
  readonly watch: Pick<StoreWatch, "check" | "vitals">;
  /** The due clock of live deliveries, in milliseconds. */
  readonly now: () => number;
  /** Monotonic time in milliseconds. */
  readonly elapsed: () => number;
}

/** Adds the gauges of a service: its readiness, its database and what waits in it. */
export function addGauges(metrics: Pick<Metrics, "addGauges">, ports: Ports): void {
  const { watch } = ports;
  metrics.addGauges(
    { ready: "1 if the database takes writes and its disk has room." },
    async () => ({
      ready: (await watch.check()).length === 0 ? 1 : 0,
    }),
  );
  metrics.addGauges(
    {
      store_free_bytes: "Free bytes of the SQLite file's disk.",
      store_wal_bytes: "Size of the SQLite file's WAL.",
      store_waiting_calls: "Calls that wait for a PostgreSQL connection.",
    },
    async () => {
      const { freeBytes, walBytes, waitingCalls } = watch.vitals();
      return {
        ...(freeBytes !== undefined && { store_free_bytes: freeBytes }),
        ...(walBytes !== undefined && { store_wal_bytes: walBytes }),
        ...(waitingCalls !== undefined && { store_waiting_calls: waitingCalls }),
      };
    },
  );
  const backlog = kept(ports);
  metrics.addGauges(
    {
      deliveries_waiting: "Deliveries that wait for an attempt, at most 50000.",
      deliveries_due: "Deliveries whose time has come, at most 50000.",
      deliveries_oldest_due_seconds: "Since when the oldest due delivery has been due.",
      deliveries_exhausted: "Deliveries that ran out of attempts, at most 50000.",
      subscriptions_paused: "Paused subscriptions.",
      refunds_pending: "Refunds whose hold runs, at most 50000.",
      refunds_oldest_due_seconds: "Since when the oldest due refund has been due.",
      delivery_members: "Processes that deliver.",
    },
    async () => {
      const now = await backlog();
      return {
        deliveries_waiting: now.waiting,
        deliveries_due: now.due,
        deliveries_oldest_due_seconds: now.oldestDueMs / 1000,
        deliveries_exhausted: now.exhausted,
        subscriptions_paused: now.pausedSubscriptions,
        refunds_pending: now.pendingRefunds,
        refunds_oldest_due_seconds: now.oldestDueRefundMs / 1000,
        delivery_members: now.members,
      };
    },
  );
}

/** Reads the backlog at most every 10 s, however many ask. */
function kept({ driver, now, elapsed }: Ports): () => Promise<Backlog> {
  let readAt = -Infinity;
  let reading: Promise<Backlog> | undefined;
  return () => {
    const at = elapsed();
    if (reading === undefined || at - readAt >= BACKLOG_EVERY_MS) {
      readAt = at;
      reading = readBacklog(driver, now());
    }
    return reading;
  };
}
