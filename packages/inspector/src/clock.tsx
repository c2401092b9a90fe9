import { addressOf, useAction, useInspector, useReading } from "./context.ts";
import { Menu } from "./layout.tsx";
import { ActionButton, Refusal, Time } from "./parts.tsx";
import type { ClockState, WrittenEvent } from "./shapes.ts";

/** Sandbox time, how to move it, and what is due. */
export function Clock() {
  const { moveClock, about, isOffline, say } = useInspector();
  const action = useAction();
  const { value: due } = useReading<ClockState>("/sandbox/clock");
  const { holdEnds, next = null } = due ?? {};
  const go = async (to: string): Promise<void> => {
    await action.run(() => moveClock(to));
    say("The clock has moved.");
  };
  return (
    <div class="clock inline">
      <Menu
        isWide
        label={
          <>
            <span class="hidden">Sandbox time </span>
            {due === undefined ? "…" : <Time at={due.now} form="weekday" />}
          </>
        }
      >
        <p>
          The clock stands still until you move it. Retries{about.hasPayments && " and refunds"}{" "}
          follow it; signatures use real time.
        </p>
        <p>
          {next === null ? (
            "Nothing is due."
          ) : (
            <>
              Next due: {next.kind === "refund" ? "a refund becomes AUTHORIZED" : next.what} at{" "}
              <Time at={next.at} form="weekday" />
            </>
          )}
        </p>
        <ActionButton
          action={action}
          label="Go to the next due item"
          isPrimary
          reason={next === null ? "Nothing is due." : undefined}
          onRun={() => (next === null ? Promise.resolve() : moveClock(next.at))}
        />
        <Refusal text={action.refusal} />
      </Menu>
      {about.hasPayments && (
        <button
          type="button"
          class="step"
          disabled={action.isBusy || isOffline || holdEnds === undefined}
          onClick={() => holdEnds !== undefined && void go(holdEnds)}
          aria-label={`Move the clock ${String(about.businessDays)} business days ahead`}
        >
          {action.isBusy ? "Moving…" : `+${String(about.businessDays)} business days`}
        </button>
      )}
    </div>
  );
}

/** Milliseconds of sandbox time in which the first two retries of an event are made. */
const OUTAGE_MS = 600_000;

/** An outage to watch, faults, and a new beginning. */
export function SandboxMenu() {
  const { remote, about, say, isOffline, openFaults, moveClock } = useInspector();
  const action = useAction();
  const startOver = async (): Promise<void> => {
    await remote.send("POST", "/sandbox/reset", { samples: true });
    location.hash = "#/events";
    say("Done. Of the endpoints, that of --deliver-to is still subscribed.");
  };
  const outage = async (): Promise<void> => {
    const order = { type: about.events[0]?.type ?? "" };
    const { id } = await remote.send<WrittenEvent>("POST", "/sandbox/inspect/outage", order);
    location.hash = addressOf("events", id);
    const { now } = await remote.get<ClockState>("/sandbox/clock");
    await moveClock(new Date(Date.parse(now) + OUTAGE_MS).toISOString());
  };
  return (
    <Menu label="Sandbox">
      <button
        type="button"
        class="choice"
        disabled={isOffline}
        onClick={() => void action.run(outage)}
      >
        Run an outage
        <small>Sends an event whose first 2 attempts get 500, and moves the clock past them.</small>
      </button>
      <button type="button" class="choice" onClick={openFaults}>
        Faults…
        <small>Make the next webhooks or calls fail.</small>
      </button>
      <button
        type="button"
        class="choice"
        disabled={isOffline}
        onClick={() => void action.run(startOver)}
      >
        Start over with sample data
        <small>As after the first start. Deletes endpoints, except that of --deliver-to.</small>
      </button>
      <Refusal text={action.refusal} />
    </Menu>
  );
}
