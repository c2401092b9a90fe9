import { useEffect, useState } from "preact/hooks";
import { addressOf, useAction, useInspector } from "../context.ts";
import { Dialog } from "../layout.tsx";
import { ActionButton, Refusal } from "../parts.tsx";
import type { Remote } from "../remote.ts";
import type { Delivery, WrittenEvent } from "../shapes.ts";
import { formatted, isJson } from "../words.ts";

const PATH = "/sandbox/events";
/** Types that are offered at once. */
const MAX_TYPES = 60;

/** Sends an event of any type, or, in the sandbox, one of every type. */
export function SendEvent({ onClose }: { readonly onClose: () => void }) {
  const { about, remote, say } = useInspector();
  const action = useAction();
  const [type, setType] = useState<string>();
  const [wanted, setWanted] = useState("");
  if (type !== undefined) {
    const load = async (): Promise<string> => {
      const path = "/sandbox/inspect/samples";
      const { body } = await remote.send<{ readonly body: string }>("POST", path, { type });
      return formatted(body);
    };
    return (
      <Dialog title={`Send ${type}`} onClose={onClose}>
        <SendForm type={type} load={load} onClose={onClose} />
        <button type="button" class="quiet" onClick={() => setType(undefined)}>
          ← All types
        </button>
      </Dialog>
    );
  }
  const sendAll = async (): Promise<void> => {
    // oxlint-disable-next-line no-await-in-loop -- in the order of the catalogue
    for (const one of about.events) await remote.send("POST", PATH, { type: one.type });
    location.hash = "#/events";
    say(`${String(about.events.length)} events sent, one of every type.`);
    onClose();
  };
  const found = about.events.filter((one) => one.type.includes(wanted.trim()));
  return (
    <Dialog title="Send an event" onClose={onClose}>
      <div class="buttons">
        {about.events.length > MAX_TYPES / 3 && (
          <input
            type="search"
            aria-label="Search the types"
            placeholder={`Search ${String(about.events.length)} types`}
            value={wanted}
            onInput={({ currentTarget }) => setWanted(currentTarget.value)}
          />
        )}
        {about.mode === "sandbox" && (
          <ActionButton
            action={action}
            label={`Send one of every type (${String(about.events.length)})`}
            onRun={sendAll}
          />
        )}
      </div>
      <div class="types">
        {found.slice(0, MAX_TYPES).map((one) => (
          <button key={one.type} type="button" onClick={() => setType(one.type)}>
            {one.type}
          </button>
        ))}
      </div>
      {found.length > MAX_TYPES && (
        <p class="soft">{found.length - MAX_TYPES} more: search for them.</p>
      )}
      <Refusal text={action.refusal} />
    </Dialog>
  );
}

/** The whole body of a delivery whose personal members are masked on the page. */
export async function bodyOf(remote: Remote, delivery: Delivery | undefined): Promise<string> {
  const path = `/sandbox/inspect/bodies/${delivery?.deliveryId ?? ""}`;
  return (await remote.get<{ readonly text: string }>(path)).text;
}

/** Edits an event and sends it as a new event with a new id. */
export function EditCopy({
  event,
  delivery,
  onClose,
}: {
  readonly event: WrittenEvent;
  readonly delivery: Delivery | undefined;
  readonly onClose: () => void;
}) {
  const { about, remote } = useInspector();
  const load = async (): Promise<string> => {
    if (about.mode === "sandbox") return formatted(event.payload, about.envelope.data);
    return formatted(event.isMasked === true ? await bodyOf(remote, delivery) : event.payload);
  };
  return (
    <Dialog title="Edit and send a copy" onClose={onClose}>
      <p class="soft">A new event with a new id. Numbers are sent digit for digit.</p>
      <SendForm type={event.type} deliveryId={delivery?.deliveryId} load={load} onClose={onClose} />
    </Dialog>
  );
}

function SendForm({
  type,
  deliveryId,
  load,
  onClose,
}: {
  readonly type: string;
  /** The delivery whose body is edited. */
  readonly deliveryId?: string | undefined;
  /** Reads the text to begin with. */
  readonly load: () => Promise<string>;
  readonly onClose: () => void;
}) {
  const { about, remote } = useInspector();
  const action = useAction();
  const [text, setText] = useState<string>();
  const isListening = about.mode === "listen";
  useEffect(() => void load().then(setText, () => setText("{}")), []);
  const isUsable = isListening || isJson(text ?? "");
  const send = async (): Promise<void> => {
    // The sandbox's data is a part of the call's text: parsed and printed, 10.50 would be 10.5.
    const body = isListening
      ? JSON.stringify({ type, deliveryId, text })
      : `{"type":${JSON.stringify(type)},"data":${text ?? ""}}`;
    const { id } = await remote.send<WrittenEvent>("POST", PATH, body);
    location.hash = addressOf("events", id);
    onClose();
  };
  return (
    <>
      <label>
        {isListening ? "Body" : "Data, JSON"}
        <textarea
          rows={16}
          spellcheck={false}
          value={text ?? ""}
          aria-invalid={text !== undefined && !isUsable}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <div class="buttons">
        <ActionButton
          action={action}
          label="Send"
          isPrimary
          reason={
            text === undefined ? "Reading…" : isUsable ? undefined : "The data is not valid JSON."
          }
          onRun={send}
        />
      </div>
      <Refusal text={action.refusal} />
    </>
  );
}
