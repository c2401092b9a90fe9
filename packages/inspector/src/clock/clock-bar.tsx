import type { Due } from "../remote/shapes.ts";
import { Time } from "../parts/time.tsx";
import { useAction } from "../parts/use-action.ts";
import { useReading } from "../parts/use-reading.ts";

/** The namespace's clock: what it shows, what is due next, and how it moves. */
export function ClockBar() {
  const reading = useReading<Due>("/sandbox/inspect/due");
  const { isBusy, refusal, run } = useAction();
  if (reading.at !== "read")
    return <section className="clock" aria-label="Clock" aria-busy="true" />;
  const { now, next, businessDays } = reading.value;
  const move = (at: string): void => void run("PUT", "/sandbox/clock", { now: at });
  const isOverdue = next !== null && next.at <= now;
  return (
    <section className="clock" aria-label="Clock">
      <div className="clock-face">
        <span className="clock-now">
          <Time at={now} isLong />
        </span>
        <span className="note">
          {next === null ? (
            "nothing is due"
          ) : (
            <>
              next: {next.kind === "refund" ? "a refund" : `attempt of ${next.what}`}{" "}
              {isOverdue ? "now" : <Time at={next.at} />}
            </>
          )}
        </span>
      </div>
      <div className="buttons">
        {[1, 3].map((days) => {
          const day = businessDays[days - 1];
          return (
            <button
              key={days}
              type="button"
              disabled={isBusy || day === undefined}
              title={day && `to ${day.date}, 00:00 of the bank calendar`}
              onClick={() => day && move(day.at)}
            >
              +{days} business {days === 1 ? "day" : "days"}
            </button>
          );
        })}
        <button
          type="button"
          disabled={isBusy || next === null}
          title="Moves the clock to the instant at which something is due"
          onClick={() => next !== null && move(isOverdue ? now : next.at)}
        >
          next change
        </button>
      </div>
      {refusal !== undefined && (
        <p className="refusal" role="alert">
          {refusal}
        </p>
      )}
    </section>
  );
}
