import { useState } from "preact/hooks";
import { addressOf, useAction, useInspector, useReading } from "./context.ts";
import { Dialog } from "./layout.tsx";
import { ActionButton, Refusal } from "./parts.tsx";
import type { Due, Fault, WrittenEvent } from "./shapes.ts";

const PATH = "/sandbox/faults";
/** Milliseconds of sandbox time in which the first two retries of an event are made. */
const OUTAGE_MS = 600_000;

/** A fault in words: `500 on the next 2 webhooks`. */
function faultText({ route, kind, status, delayMs, eventId, times }: Fault): string {
  const seconds = String((delayMs ?? 0) / 1000);
  const what = {
    status: String(status ?? 500),
    delay: `${seconds} s delay`,
    reset: "connection reset",
    lost: "response lost",
  }[kind];
  const noun = route === "attempt" ? "webhook" : `${route} call`;
  const next = times === 1 ? noun : `${String(times)} ${noun}s`;
  return `${what} on the next ${next}${eventId === undefined ? "" : " of one event"}`;
}

/** Active faults as red chips, each with a button that removes it. */
export function FaultChips() {
  const { remote, openFaults } = useInspector();
  const action = useAction();
  const { value } = useReading<{ faults: readonly Fault[] }>(PATH);
  const faults = value?.faults ?? [];
  const remove = (gone: Fault) => () =>
    remote.send("PUT", PATH, { faults: faults.filter((one) => one !== gone) });
  return (
    <div class="faults">
      <button type="button" onClick={openFaults}>
        Faults
      </button>
      {faults.map((fault, index) => (
        // Two equal faults differ in their place only.
        // oxlint-disable-next-line no-array-index-key
        <span key={index} class="chip bad">
          Fault: {faultText(fault)}
          <button
            type="button"
            class="quiet"
            aria-label={`Remove: ${faultText(fault)}`}
            onClick={() => void action.run(remove(fault))}
          >
            ✕
          </button>
        </span>
      ))}
    </div>
  );
}

const presets: readonly (Omit<Fault, "times"> & { readonly label: string })[] = [
  { label: "Answer 500", route: "attempt", kind: "status", status: 500 },
  {
    label: "Answer 429, Retry-After 60 s",
    route: "attempt",
    kind: "status",
    status: 429,
    retryAfterSeconds: 60,
  },
  { label: "Time out after 15 s", route: "attempt", kind: "delay", delayMs: 15_000 },
  { label: "Reset the connection", route: "attempt", kind: "reset" },
  { label: "Lose the response after your app has worked", route: "attempt", kind: "lost" },
];

/** Makes webhooks or API calls fail, for a number of times. */
export function FaultDrawer({ onClose }: { readonly onClose: () => void }) {
  const { remote, about, moveClock } = useInspector();
  const action = useAction();
  const { value } = useReading<{ faults: readonly Fault[] }>(PATH);
  const faults = value?.faults ?? [];
  const [times, setTimes] = useState(2);
  const [route, setRoute] = useState("attempt");
  const [kind, setKind] = useState<Fault["kind"]>("status");
  const [status, setStatus] = useState(503);
  const [delay, setDelay] = useState(2);
  const add = (fault: Omit<Fault, "times">): Promise<unknown> =>
    remote.send("PUT", PATH, { faults: [...faults, { ...fault, times }] });
  const outage = async (): Promise<void> => {
    const order = { type: about.events[0]?.type ?? "" };
    const { id } = await remote.send<WrittenEvent>("POST", "/sandbox/inspect/outage", order);
    location.hash = addressOf("events", id);
    onClose();
    const { now } = await remote.get<Due>("/sandbox/inspect/due");
    await moveClock(new Date(Date.parse(now) + OUTAGE_MS).toISOString());
  };
  return (
    <Dialog title="Faults" isDrawer onClose={onClose}>
      <p>
        Breaks the next calls, as many as you choose. Faults on webhooks act between the sandbox and
        your app.
      </p>
      <div class="card">
        <h3>An outage and its retries</h3>
        <p>
          Sends an event whose first 2 attempts get 500, and moves the clock 10 minutes ahead, past
          its retries.
        </p>
        <ActionButton action={action} label="Run an outage" isPrimary onRun={outage} />
      </div>
      <h3>On webhooks</h3>
      <label class="inline">
        How many times{" "}
        <input
          type="number"
          min={1}
          max={1000}
          value={times}
          onInput={({ currentTarget }) => setTimes(Number(currentTarget.value) || 1)}
        />
      </label>
      <div class="stack">
        {presets.map(({ label, ...fault }) => (
          <ActionButton key={label} action={action} label={label} onRun={() => add(fault)} />
        ))}
      </div>
      <h3>On any call</h3>
      <div class="form">
        <label>
          Call
          <select value={route} onChange={({ currentTarget }) => setRoute(currentTarget.value)}>
            <option value="attempt">webhook to your app</option>
            {about.faultRoutes.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label>
          Fault
          <select
            value={kind}
            onChange={({ currentTarget }) => {
              const wanted = (["status", "delay", "reset", "lost"] as const).find(
                (one) => one === currentTarget.value,
              );
              setKind(wanted ?? "status");
            }}
          >
            <option value="status">answer with a status, do nothing</option>
            <option value="delay">answer late</option>
            <option value="reset">reset the connection, do nothing</option>
            <option value="lost">do the work, lose the response</option>
          </select>
        </label>
        {kind === "status" && (
          <label>
            Status
            <input
              type="number"
              min={400}
              max={599}
              value={status}
              onInput={({ currentTarget }) => setStatus(Number(currentTarget.value))}
            />
          </label>
        )}
        {kind === "delay" && (
          <label>
            Delay in seconds
            <input
              type="number"
              min={0}
              max={60}
              value={delay}
              onInput={({ currentTarget }) => setDelay(Number(currentTarget.value))}
            />
          </label>
        )}
        <ActionButton
          action={action}
          label="Add fault"
          onRun={() =>
            add({
              route,
              kind,
              ...(kind === "status" && { status }),
              ...(kind === "delay" && { delayMs: delay * 1000 }),
            })
          }
        />
      </div>
      <Refusal text={action.refusal} />
      <h3>Active</h3>
      {faults.length === 0 && <p>None.</p>}
      <ul class="plain">
        {faults.map((fault, index) => (
          // oxlint-disable-next-line no-array-index-key -- two equal faults differ in their place only
          <li key={index}>
            {faultText(fault)}{" "}
            <ActionButton
              action={action}
              label="Remove"
              onRun={() =>
                remote.send("PUT", PATH, { faults: faults.filter((one) => one !== fault) })
              }
            />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
