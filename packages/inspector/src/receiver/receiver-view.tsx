import { Time } from "../parts/time.tsx";
import { addressOf } from "../parts/use-place.ts";
import { useReading } from "../parts/use-reading.ts";
import type { Delivery, ToldOutcome } from "../remote/shapes.ts";
import { pairs } from "./pairs.ts";

/** Attempts and what the receiver says that it decided, both sides of one event in one row. */
export function ReceiverView() {
  const told = useReading<{ outcomes: readonly ToldOutcome[] }>("/sandbox/outcomes");
  const sent = useReading<{ deliveries: readonly (Delivery & { type: string })[] }>(
    "/sandbox/deliveries?limit=100",
  );
  if (told.at !== "read" || sent.at !== "read") return <div className="page" aria-busy="true" />;
  const rows = pairs(sent.value.deliveries, told.value.outcomes);
  const strangers = told.value.outcomes.filter(({ eventId }) => eventId === null);
  return (
    <div className="page">
      <h1>Receiver</h1>
      <p className="note">
        Left what the sandbox sent and was answered, right what the receiver told of it with{" "}
        <code>POST /sandbox/outcomes</code>. The example merchant tells every outcome.
      </p>
      {rows.length === 0 && (
        <p>
          No attempts yet. Subscribe a receiver under{" "}
          <a href={addressOf("subscriptions")}>Subscriptions</a>, then let something happen.
        </p>
      )}
      <div className="wide">
        <table className="sides">
          <thead>
            <tr>
              <th scope="col">event</th>
              <th scope="col">attempt</th>
              <th scope="col">answered</th>
              <th scope="col">the receiver&apos;s outcome</th>
              <th scope="col">sent</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, delivery, attempt, outcome }) => (
              <tr key={key}>
                <td>
                  <a href={addressOf("timeline", delivery.eventId)}>{delivery.type}</a>
                </td>
                <td>{attempt.number}</td>
                <td>
                  <span className={`status ${isGood(attempt.status) ? "good" : "bad"}`}>
                    {attempt.status ?? attempt.error}
                  </span>{" "}
                  <span className="note">{attempt.durationMs} ms</span>
                </td>
                <td>
                  {outcome === undefined ? (
                    <span className="note">nothing told</span>
                  ) : (
                    <>
                      <span className="badge outcome">{outcome.outcome}</span>{" "}
                      <code>{outcome.code}</code>{" "}
                      <span className="note">
                        {outcome.durationMs !== null && `${String(outcome.durationMs)} ms`}
                      </span>
                    </>
                  )}
                </td>
                <td>
                  <Time at={attempt.startedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {strangers.length > 0 && (
        <>
          <h2>Refused before an event was known</h2>
          <ul className="faults">
            {strangers.slice(0, 20).map(({ outcome, code, at }, index) => (
              <li key={`${at} ${String(index)}`}>
                <span className="badge bad">{outcome}</span> <code>{code}</code> <Time at={at} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function isGood(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}
