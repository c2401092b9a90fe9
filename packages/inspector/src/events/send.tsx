import { useState } from "preact/hooks";
import { addressOf, useAction, useInspector } from "../context.ts";
import { Dialog } from "../layout.tsx";
import { ActionButton, Refusal } from "../parts.tsx";
import type { WrittenEvent } from "../shapes.ts";
import { formatted, isJson, textAt } from "../words.ts";

const PATH = "/sandbox/events";

/** Sends an event of any type, or one of every type. */
export function SendEvent({ onClose }: { readonly onClose: () => void }) {
  const { about, remote, say } = useInspector();
  const action = useAction();
  const [type, setType] = useState<string>();
  const sendAll = async (): Promise<void> => {
    // oxlint-disable-next-line no-await-in-loop -- in the order of the catalogue
    for (const one of about.events) await remote.send("POST", PATH, { type: one.type });
    location.hash = "#/events";
    say(`${String(about.events.length)} events sent, one of every type.`);
    onClose();
  };
  if (type !== undefined) {
    return <SendOne type={type} onBack={() => setType(undefined)} onClose={onClose} />;
  }
  return (
    <Dialog title="Send an event" onClose={onClose}>
      <p>It is delivered like any other, although nothing has happened for it.</p>
      <ActionButton
        action={action}
        label={`Send one of every type (${String(about.events.length)})`}
        onRun={sendAll}
      />
      <div class="types">
        {about.events.map((one) => (
          <button key={one.type} type="button" onClick={() => setType(one.type)}>
            {one.type}
          </button>
        ))}
      </div>
      <Refusal text={action.refusal} />
    </Dialog>
  );
}

function SendOne({
  type,
  onBack,
  onClose,
}: {
  readonly type: string;
  readonly onBack: () => void;
  readonly onClose: () => void;
}) {
  const [data, setData] = useState("");
  return (
    <Dialog title={`Send ${type}`} onClose={onClose}>
      <SendForm type={type} data={data} onData={setData} isOptional onClose={onClose} />
      <button type="button" class="quiet" onClick={onBack}>
        ← All types
      </button>
    </Dialog>
  );
}

/** Edits the data of an event and sends it as a new event with a new id. */
export function EditCopy({
  event,
  dataPointer,
  onClose,
}: {
  readonly event: WrittenEvent;
  readonly dataPointer: string;
  readonly onClose: () => void;
}) {
  const [data, setData] = useState(() => formatted(textAt(event.payload, dataPointer)));
  return (
    <Dialog title="Edit and send a copy" onClose={onClose}>
      <p>The copy is a new event with a new id. Numbers are sent digit for digit.</p>
      <SendForm type={event.type} data={data} onData={setData} onClose={onClose} />
    </Dialog>
  );
}

function SendForm({
  type,
  data,
  onData,
  onClose,
  isOptional = false,
}: {
  readonly type: string;
  readonly data: string;
  readonly onData: (text: string) => void;
  readonly onClose: () => void;
  readonly isOptional?: boolean;
}) {
  const { remote } = useInspector();
  const action = useAction();
  const text = data.trim();
  const isUsable = (isOptional && text === "") || isJson(text);
  const send = async (): Promise<void> => {
    // The text as it is: parsed and printed, 10.50 would be 10.5.
    const members = text === "" ? "" : `,"data":${text}`;
    const body = `{"type":${JSON.stringify(type)}${members}}`;
    const { id } = await remote.send<WrittenEvent>("POST", PATH, body);
    location.hash = addressOf("events", id);
    onClose();
  };
  return (
    <>
      <label>
        Data, JSON{isOptional ? " (optional; empty sends a sample)" : ""}
        <textarea
          rows={isOptional ? 6 : 16}
          spellcheck={false}
          value={data}
          aria-invalid={!isUsable}
          onInput={({ currentTarget }) => onData(currentTarget.value)}
        />
      </label>
      <div class="buttons">
        <ActionButton
          action={action}
          label="Send"
          isPrimary
          reason={isUsable ? undefined : "The data is not valid JSON."}
          onRun={send}
        />
      </div>
      <Refusal text={action.refusal} />
    </>
  );
}
