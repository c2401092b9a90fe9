import { DeliveryBadge } from "../parts/delivery-badge.tsx";
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
  const { isBusy, refusal, run } = useAction();
  const { deliveryId, attempts, url, state } = delivery;
  return (
    <section className="card">
      <header className="card-head">
        <DeliveryBadge states={[state]} />
        <span className="mono url">{url ?? delivery.subscriptionKey}</span>
        <button
          type="button"
          disabled={isBusy}
          onClick={() => void run("POST", `/sandbox/deliveries/${deliveryId}/replay`)}
        >
          replay
        </button>
      </header>
      {refusal !== undefined && (
        <p className="refusal" role="alert">
          {refusal}
        </p>
      )}
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
