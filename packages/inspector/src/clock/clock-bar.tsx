import type { Due } from "../remote/shapes.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { Time } from "../parts/time.tsx";
import { useAction } from "../parts/use-action.ts";
import { useReading } from "../parts/use-reading.ts";
import { MoreClock } from "./more-clock.tsx";

/** The namespace's clock: what it shows, what is due next, and how it moves. */
export function ClockBar() {
  const reading = useReading<Due>("/sandbox/inspect/due");
  const action = useAction();
  if (reading.at !== "read")
    return <section className="clock" aria-label="Clock" aria-busy="true" />;
  const { now, next, businessDays } = reading.value;
  const isOverdue = next !== null && next.at <= now;
  return (
    <section className="clock" aria-label="Clock">
      <div className="clock-face">
        <span className="clock-now">
          <Time at={now} isLong />
        </span>
        <span className="note one-line">
          {next === null ? (
            <span title="This clock stands still until you move it">nothing is due</span>
          ) : (
            <>
              next: {isOverdue ? "now" : <Time at={next.at} />},{" "}
              {next.kind === "refund" ? "a refund" : `attempt of ${next.what}`}
            </>
          )}
        </span>
      </div>
      <div className="buttons">
        {[1, 3].map((days) => {
          const day = businessDays[days - 1];
          return (
            <ActionButton
              key={days}
              action={action}
              label={`+${String(days)} business ${days === 1 ? "day" : "days"}`}
              hint={day && `to ${day.date}, 00:00 of the bank calendar`}
              method="PUT"
              path="/sandbox/clock"
              body={{ now: day?.at ?? now }}
              isOff={day === undefined}
            />
          );
        })}
        <ActionButton
          action={action}
          label="next change"
          hint="Moves the clock to the instant at which something is due"
          method="PUT"
          path="/sandbox/clock"
          body={{ now: next === null || isOverdue ? now : next.at }}
          isOff={next === null}
        />
        <MoreClock now={now} action={action} />
      </div>
      <Refusal action={action} />
    </section>
  );
}
