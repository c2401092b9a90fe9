import { ActionButton } from "../parts/action-button.tsx";
import { DeliveryBadge } from "../parts/delivery-badge.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { useAction } from "../parts/use-action.ts";
import type { Delivery, ToldEvent, ToldOutcome } from "../remote/shapes.ts";
import { AttemptView } from "./attempt-view.tsx";
import { ScheduleLine } from "./schedule-line.tsx";

/** One delivery: where it goes, its attempts, what comes next. */
export function DeliveryView({
  delivery,
  event,
  outcomes,
}: {
  readonly delivery: Delivery;
  readonly event: ToldEvent;
  readonly outcomes: readonly ToldOutcome[];
}) {
  const action = useAction();
  const { deliveryId, attempts, url, state } = delivery;
  return (
    <section className="card">
      <header className="card-head">
        <DeliveryBadge states={[state]} />
        <span className="mono url">{url ?? delivery.subscriptionKey}</span>
        <ActionButton
          action={action}
          label="replay"
          path={`/sandbox/deliveries/${deliveryId}/replay`}
        />
      </header>
      <Refusal action={action} />
      <ol className="attempts">
        {attempts.map((attempt, index) => (
          <AttemptView
            key={attempt.number}
            attempt={attempt}
            delivery={delivery}
            event={event}
            outcome={outcomes[index]}
          />
        ))}
      </ol>
      <ScheduleLine delivery={delivery} />
    </section>
  );
}
