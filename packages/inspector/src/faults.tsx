import { useState } from "preact/hooks";
import { useAction, useInspector, useReading } from "./context.ts";
import { Choice, Field } from "./fields.tsx";
import { Dialog } from "./layout.tsx";
import { ActionButton, Refusal } from "./parts.tsx";
import type { Fault } from "./shapes.ts";

const PATH = "/sandbox/faults";

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
  const { remote } = useInspector();
  const action = useAction();
  const { value } = useReading<{ faults: readonly Fault[] }>(PATH);
  const faults = value?.faults ?? [];
  const remove = (gone: Fault) => () =>
    remote.send("PUT", PATH, { faults: faults.filter((one) => one !== gone) });
  return (
    <>
      {faults.map((fault, index) => (
        // Two equal faults differ in their place only.
        // oxlint-disable-next-line no-array-index-key
        <span key={index} class="badge bad">
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
    </>
  );
}

const kinds = [
  ["status", "answer with a status, do nothing"],
  ["delay", "answer late"],
  ["reset", "reset the connection, do nothing"],
  ["lost", "do the work, lose the response"],
] as const;

/** Makes webhooks or API calls fail, for a number of times. */
export function FaultDrawer({ onClose }: { readonly onClose: () => void }) {
  const { remote, about } = useInspector();
  const action = useAction();
  const { value } = useReading<{ faults: readonly Fault[] }>(PATH);
  const [times, setTimes] = useState("2");
  const [route, setRoute] = useState("attempt");
  const [kind, setKind] = useState<Fault["kind"]>("status");
  const [status, setStatus] = useState("503");
  const [delay, setDelay] = useState("15");
  const add = (): Promise<unknown> =>
    remote.send("PUT", PATH, {
      faults: [
        ...(value?.faults ?? []),
        {
          route,
          kind,
          times: Number(times),
          ...(kind === "status" && { status: Number(status) }),
          ...(kind === "status" && status === "429" && { retryAfterSeconds: 60 }),
          ...(kind === "delay" && { delayMs: Number(delay) * 1000 }),
        },
      ],
    });
  return (
    <Dialog title="Faults" onClose={onClose}>
      <p>
        Breaks the next calls, as many as you choose. Faults on webhooks act between the sandbox and
        your app; active ones are in the header.
      </p>
      <div class="form">
        <Choice
          label="Call"
          value={route}
          options={[["attempt", "webhook to your app"], ...about.faultRoutes]}
          onValue={setRoute}
        />
        <Choice
          label="Fault"
          value={kind}
          options={kinds}
          onValue={(wanted) => setKind(kinds.find(([one]) => one === wanted)?.[0] ?? "status")}
        />
        {kind === "status" && (
          <Field
            label="Status (429 has Retry-After: 60)"
            kind="numeric"
            value={status}
            onValue={setStatus}
          />
        )}
        {kind === "delay" && (
          <Field label="Delay in seconds" kind="numeric" value={delay} onValue={setDelay} />
        )}
        <Field label="Number of times" kind="numeric" value={times} onValue={setTimes} />
      </div>
      <ActionButton action={action} label="Add fault" isPrimary onRun={add} />
      <Refusal text={action.refusal} />
    </Dialog>
  );
}
