import { useInspector } from "../inspector-context.ts";
import { addressOf } from "../parts/use-place.ts";
import { useAction } from "../parts/use-action.ts";

/** What stands in an empty timeline: the first thing to do. */
export function FirstSteps() {
  const { about } = useInspector();
  const { isBusy, refusal, run } = useAction();
  return (
    <div className="empty">
      <h1>Nothing has happened yet</h1>
      <p>
        Every change in this namespace is an event, and every event stands here as it happens. Start
        with one:
      </p>
      <p className="buttons">
        <button
          type="button"
          className="primary"
          disabled={isBusy}
          onClick={() => void run("POST", "/sandbox/events", { type: about.events[0]?.type ?? "" })}
        >
          Write a sample event
        </button>
        <a className="button" href={addressOf("payments")}>
          Make a payment
        </a>
      </p>
      {about.target === null && (
        <p className="note">
          Nobody is subscribed from the command line. Start the sandbox with{" "}
          <code>--deliver-to http://localhost:3000/webhooks</code> and events go to your receiver.
        </p>
      )}
      {refusal !== undefined && (
        <p className="refusal" role="alert">
          {refusal}
        </p>
      )}
    </div>
  );
}
