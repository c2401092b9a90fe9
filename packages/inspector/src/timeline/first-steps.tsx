import { useInspector } from "../inspector-context.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { NEW } from "../parts/split-view.tsx";
import { useAction } from "../parts/use-action.ts";
import { addressOf } from "../parts/use-place.ts";
import { useReading } from "../parts/use-reading.ts";
import type { Subscription } from "../remote/shapes.ts";

/** What stands in an empty timeline: the first thing to do. */
export function FirstSteps() {
  const { about } = useInspector();
  const action = useAction();
  const reading = useReading<{ subscriptions: readonly Subscription[] }>("/sandbox/subscriptions");
  const isAlone = reading.at === "read" && reading.value.subscriptions.length === 0;
  return (
    <div className="empty">
      <h1>Nothing has happened yet</h1>
      <p>
        Every change in this namespace is an event, and every event stands here as it happens. Start
        with one:
      </p>
      <p className="buttons">
        <ActionButton
          action={action}
          label="Write a sample event"
          path="/sandbox/events"
          body={{ type: about.events[0]?.type ?? "" }}
          isPrimary
        />
        <a className="button" href={addressOf("customers", NEW)}>
          Make a customer
        </a>
      </p>
      <p className="note">
        The story of a refund: a customer, an account linked to it, a payment that settles, a refund
        of it, and three business days.
      </p>
      {about.target !== null && isAlone && (
        <p className="note">
          Nobody is subscribed: <a href={addressOf("subscriptions", NEW)}>subscribe</a>{" "}
          <code>{about.target.url}</code>, the address of <code>--deliver-to</code>, and events go
          there.
        </p>
      )}
      {about.target === null && (
        <p className="note">
          Nobody is subscribed from the command line. Start the sandbox with{" "}
          <code>--deliver-to http://localhost:3000/webhooks</code> and events go to your receiver.
        </p>
      )}
      <Refusal action={action} />
    </div>
  );
}
