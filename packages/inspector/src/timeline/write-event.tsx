import { useState } from "react";
import { useInspector } from "../inspector-context.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { CurlLine } from "../parts/curl-line.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { useAction } from "../parts/use-action.ts";
import { addressOf } from "../parts/use-place.ts";

/** Writes an event that nothing has happened for, with data of one's own or a sample. */
export function WriteEvent() {
  const { about } = useInspector();
  const action = useAction();
  const [type, setType] = useState(about.events[0]?.type ?? "");
  const [data, setData] = useState("");
  const isReadable = data.trim() === "" || isJson(data);
  // The digits of numbers as they stand: the text goes into the call as it is.
  const sent = data.trim() === "" ? "" : `,"data":${isReadable ? data.trim() : "null"}`;
  const body = `{"type":${JSON.stringify(type)}${sent}}`;
  return (
    <article>
      <h1>Write an event</h1>
      <p className="note">
        It is delivered like any other, though nothing has happened for it. Without data of your own
        it carries a sample.
      </p>
      <div className="form">
        <label>
          type
          <select value={type} onChange={(event) => setType(event.target.value)}>
            {about.events.map((one) => (
              <option key={one.type}>{one.type}</option>
            ))}
          </select>
        </label>
        <label className="whole">
          data, JSON, optional
          <textarea
            rows={4}
            spellCheck={false}
            value={data}
            aria-invalid={!isReadable}
            onChange={(event) => setData(event.target.value)}
          />
        </label>
        <ActionButton
          action={action}
          label="write"
          path="/sandbox/events"
          body={body}
          isPrimary
          isOff={!isReadable}
          onDone={({ id }) => (location.hash = addressOf("timeline", String(id)))}
        />
      </div>
      <Refusal action={action} />
      <CurlLine method="POST" path="/sandbox/events" body={body} />
    </article>
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
