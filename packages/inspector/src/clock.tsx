import { useEffect, useRef, useState } from "preact/hooks";
import {
  useAction,
  useInspector,
  useReading,
  type Action,
  type Inspector,
  type Moving,
} from "./context.ts";
import { Menu } from "./layout.tsx";
import { Refusal, SandboxTime } from "./parts.tsx";
import type { Remote } from "./remote.ts";
import type { Due } from "./shapes.ts";
import { durationText, shortUrl } from "./words.ts";

/** Items that one move works on at most: retries make new ones. */
const MAX_STEPS = 1000;

/**
 * Moves the clock from one due item to the next, so that a reader sees what it waits for and can stop it.
 *
 * @returns A function that moves it, one that stops it, and the move under way.
 */
export function useClockMoves(
  remote: Remote,
  refresh: () => void,
): Pick<Inspector, "moveClock" | "stopClock" | "moving"> {
  const [moving, setMoving] = useState<Moving>();
  const controller = useRef<AbortController>(undefined);
  const moveClock = async (to: string): Promise<void> => {
    controller.current?.abort();
    const { signal } = (controller.current = new AbortController());
    try {
      for (let done = 0; done < MAX_STEPS; done += 1) {
        // oxlint-disable-next-line no-await-in-loop -- one item after the other
        const due = await remote.get<Due>(
          `/sandbox/inspect/due?until=${encodeURIComponent(to)}`,
          signal,
        );
        const at = due.next !== null && due.next.at > due.now ? due.next.at : due.now;
        const now = due.next === null ? to : at;
        setMoving({ done, total: done + due.count, at: due.next, since: Date.now() });
        // oxlint-disable-next-line no-await-in-loop
        await remote.send("PUT", "/sandbox/clock", { now }, signal);
        refresh();
        if (due.next === null) break;
      }
    } finally {
      setMoving(undefined);
      refresh();
    }
  };
  const stopClock = (): void => controller.current?.abort(new Error("stopped"));
  return { moveClock, stopClock, moving };
}

/** Sandbox time, how to move it, and what is due. */
export function Clock() {
  const { moveClock, moving, about, isOffline } = useInspector();
  const action = useAction();
  const { value: due } = useReading<Due>("/sandbox/inspect/due");
  if (moving !== undefined) return <Progress moving={moving} />;
  const days = due?.businessDays ?? [];
  const step = days[about.businessDays - 1] ?? days.at(-1);
  const go = (to: string | undefined) => () =>
    action.run(() => (to === undefined ? Promise.resolve() : moveClock(to)));
  return (
    <div class="clock">
      <Menu
        isWide
        label={
          <>
            <span class="wide-only">Sandbox time </span>
            {due === undefined ? "…" : <SandboxTime at={due.now} form="weekday" />}
            <span class="wide-only"> · frozen</span>
          </>
        }
      >
        <ClockPanel due={due} action={action} />
      </Menu>
      {about.hasPayments && (
        <button
          type="button"
          class="step"
          disabled={action.isBusy || isOffline || due === undefined}
          onClick={() => void go(step?.at)()}
          aria-label={`Move the clock ${String(about.businessDays)} business days ahead`}
        >
          +{about.businessDays} business days
        </button>
      )}
    </div>
  );
}

function ClockPanel({ due, action }: { readonly due: Due | undefined; readonly action: Action }) {
  const { moveClock, about, isOffline } = useInspector();
  const [custom, setCustom] = useState("");
  const isUsable = !Number.isNaN(Date.parse(custom));
  if (due === undefined) return <p>The sandbox does not answer.</p>;
  const { next } = due;
  const go = (to: string) => void action.run(() => moveClock(to));
  return (
    <div class="panel">
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
            <SandboxTime at={next.at} form="weekday" />
          </>
        )}
      </p>
      <div class="buttons">
        <button
          type="button"
          class="primary"
          disabled={next === null || isOffline || action.isBusy}
          onClick={() => next !== null && go(next.at)}
        >
          Go to the next due item
        </button>
      </div>
      {about.hasPayments && (
        <>
          <h3 id="days-ahead">Business days ahead</h3>
          <div class="buttons" role="group" aria-labelledby="days-ahead">
            {due.businessDays.map(({ date, at }, index) => (
              <button
                key={date}
                type="button"
                disabled={action.isBusy || isOffline}
                title={date}
                onClick={() => go(at)}
              >
                +{index + 1}
              </button>
            ))}
          </div>
        </>
      )}
      <form
        class="inline"
        onSubmit={(event) => {
          event.preventDefault();
          if (isUsable) go(new Date(custom).toISOString());
        }}
      >
        <label>
          Go to (your time zone)
          <input
            type="datetime-local"
            value={custom}
            onInput={({ currentTarget }) => setCustom(currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={!isUsable || isOffline || action.isBusy}>
          Go
        </button>
      </form>
      <Refusal text={action.refusal} />
    </div>
  );
}

function Progress({ moving: { done, total, at, since } }: { readonly moving: Moving }) {
  const { stopClock, about } = useInspector();
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.round((now - since) / 1000);
  const wait =
    at === null || at.kind === "refund"
      ? "moving refunds"
      : `${at.what}: waiting for ${shortUrl(at.url)} ${String(seconds)}/${durationText(about.deadlineSeconds)}`;
  return (
    <div class="clock" role="status">
      <span class="spinner" aria-hidden="true" />
      <span class="moving">
        {Math.min(done + 1, total)} of {total} due items · {wait}
      </span>
      <button type="button" onClick={stopClock}>
        Stop
      </button>
    </div>
  );
}

const resetsOf = (hasPayments: boolean) =>
  hasPayments
    ? [
        { what: "events", label: "Clear events", note: "Payments, customers and endpoints stay." },
        {
          what: "samples",
          label: "Start over with sample data",
          note: "As after the first start: sample customers and payments, the clock at real time.",
        },
        {
          what: "everything",
          label: "Empty everything",
          note: "No customers, payments or events.",
        },
      ]
    : [
        { what: "events", label: "Clear events", note: "Endpoints stay." },
        { what: "everything", label: "Empty everything", note: "No endpoints or events." },
      ];

/** The ways to begin again. The endpoint of `--deliver-to` survives each. */
export function ResetMenu() {
  const { remote, about, say, isOffline } = useInspector();
  const action = useAction();
  const reset = (what: string) => async () => {
    await remote.send("POST", "/sandbox/inspect/reset", { what });
    location.hash = "#/events";
    say("Done. The endpoint of --deliver-to is still subscribed.");
  };
  return (
    <Menu label="Reset">
      {resetsOf(about.hasPayments).map(({ what, label, note }) => (
        <button
          key={what}
          type="button"
          class="choice"
          disabled={isOffline}
          onClick={() => void action.run(reset(what))}
        >
          {label}
          <small>{note}</small>
        </button>
      ))}
      <Refusal text={action.refusal} />
    </Menu>
  );
}
