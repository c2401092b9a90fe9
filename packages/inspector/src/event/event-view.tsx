import { memo, useEffect } from "react";
import { useInspector } from "../inspector-context.ts";
import { Time } from "../parts/time.tsx";
import { useReading } from "../parts/use-reading.ts";
import type { EventDetail } from "../remote/shapes.ts";
import { DeliveryView } from "./delivery-view.tsx";
import { Payload } from "./payload.tsx";
import { Verdict } from "./verdict.tsx";

/** One event: payload, verdict of its schema, deliveries. */
export const EventView = memo(function EventView({ id }: { readonly id: string }) {
  const { timeline } = useInspector();
  const reading = useReading<EventDetail>(`/sandbox/inspect/events/${id}`);
  const payload = reading.at === "read" ? reading.value.event.payload : timeline.bodies.get(id);
  useEffect(() => {
    if (payload !== undefined) timeline.bodies.set(id, payload);
  }, [timeline, id, payload]);
  if (reading.at === "refused") return <p className="refusal">{reading.message}</p>;
  if (reading.at === "reading") return <p className="note" aria-busy="true" />;
  const { event, deliveries, outcomes } = reading.value;
  return (
    <article>
      <h1>
        <span className={`dot ${event.category.toLowerCase()}`} aria-hidden="true" />
        {event.type}
      </h1>
      <p className="facts">
        <span className="mono">{event.id}</span>
        <span>{event.category}</span>
        <Time at={event.timestamp} isLong />
      </p>
      <h2>Deliveries</h2>
      {deliveries.length === 0 && (
        <p className="note">
          No subscription selects this event, so it goes nowhere. Under Subscriptions you can make
          one.
        </p>
      )}
      {deliveries.map((delivery) => (
        <DeliveryView
          key={delivery.deliveryId}
          delivery={delivery}
          event={event}
          outcomes={outcomes}
        />
      ))}
      <h2>Payload</h2>
      <Verdict event={event} />
      <Payload event={event} />
    </article>
  );
});
