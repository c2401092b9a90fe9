import type { Meter } from "@opentelemetry/api";
import type { Inbox } from "../inbox/inbox.ts";

export interface InboxMetricsOptions {
  /** `metrics.getMeter("…")` of `@opentelemetry/api`. */
  readonly meter: Meter;
  /** The receiver's inbox: `sqliteInbox` or `postgresInbox`. */
  readonly inbox: Pick<Inbox, "queue">;
  /** `messaging.destination.name`: which of a process's receivers this is. Default `"webhooks"`. */
  readonly destination?: string;
  /** How long after it was due an event is overdue, in milliseconds. Default 120,000: two leases. */
  readonly overdueMs?: number;
  /** The receiver's clock. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Gauges of the stored events that no worker has handled, read from the inbox at each export. One process
 * per inbox is enough.
 *
 * - `countersign.inbox.unhandled` and `countersign.inbox.overdue`, in events.
 * - `countersign.inbox.oldest_age`, in seconds since the oldest of them was stored; 0 if there is none.
 *
 * @throws {TypeError} the inbox keeps no events for workers.
 */
export function inboxMetrics({
  meter,
  inbox: { queue },
  destination = "webhooks",
  overdueMs = 120_000,
  now = Date.now,
}: InboxMetricsOptions): void {
  if (queue === undefined)
    throw new TypeError("inboxMetrics: expected sqliteInbox or postgresInbox, which keep events");
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(`countersign.inbox.${name}`, { unit, description });
  const unhandled = gauge("unhandled", "{event}", "Stored events that no worker has handled.");
  const overdue = gauge("overdue", "{event}", "Unhandled events that should have been handled.");
  const oldest = gauge("oldest_age", "s", "Time since the oldest unhandled event was stored.");
  const attributes = { "messaging.destination.name": destination };
  meter.addBatchObservableCallback(
    async (result) => {
      const at = now();
      const status = await queue.status({ dueBefore: at - overdueMs });
      result.observe(unhandled, status.unhandled, attributes);
      result.observe(overdue, status.overdue, attributes);
      const { storedAt = at } = status.oldest ?? {};
      result.observe(oldest, (at - storedAt) / 1000, attributes);
    },
    [unhandled, overdue, oldest],
  );
}
