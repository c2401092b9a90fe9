import { ScheduleLine } from "../event/schedule-line.tsx";
import { DeliveryBadge } from "../parts/delivery-badge.tsx";
import { addressOf } from "../parts/use-place.ts";
import { useReading } from "../parts/use-reading.ts";
import type { Delivery } from "../remote/shapes.ts";

const SHOWN = 5;

/** The newest deliveries with their schedules, which move as faults happen and the clock goes on. */
export function LatestDeliveries() {
  const reading = useReading<{ deliveries: readonly (Delivery & { type: string })[] }>(
    `/sandbox/deliveries?limit=${String(SHOWN)}`,
  );
  if (reading.at !== "read") return null;
  const { deliveries } = reading.value;
  return (
    <>
      <h2>The schedule reacts</h2>
      {deliveries.length === 0 && (
        <p className="note">
          No deliveries yet: <a href={addressOf("subscriptions")}>subscribe</a> a receiver and let
          something happen.
        </p>
      )}
      {deliveries.map((delivery) => (
        <section key={delivery.deliveryId} className="card">
          <header className="card-head">
            <DeliveryBadge states={[delivery.state]} />
            <a href={addressOf("timeline", delivery.eventId)}>{delivery.type}</a>
            <span className="note">
              {delivery.attempts
                .map(({ status, error }) => String(status ?? error ?? "no answer"))
                .join(", ")}
            </span>
          </header>
          <ScheduleLine delivery={delivery} />
        </section>
      ))}
    </>
  );
}
