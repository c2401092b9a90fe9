import { useMemo, useState } from "preact/hooks";
import { useInspector } from "../context.ts";
import { Code } from "../parts.tsx";
import type { WrittenEvent } from "../shapes.ts";
import { formatted } from "../words.ts";
import { judgePayload } from "./judge-payload.ts";

/** An event's payload, to read or as the bytes that are signed, and what its schema finds. */
export function Payload({ event }: { readonly event: WrittenEvent }) {
  const { about } = useInspector();
  const [isRaw, setRaw] = useState(false);
  const { by, faults } = useMemo(() => judgePayload(event, about), [event.payload, about]);
  const bytes = new TextEncoder().encode(event.payload).length;
  return (
    <>
      <p>
        {faults.length === 0 ? (
          <span class="badge good">Valid</span>
        ) : (
          <span class="badge bad">Not valid</span>
        )}{" "}
        by {by}
      </p>
      {faults.length > 0 && (
        <ul>
          {faults.map(({ pointer, message }) => (
            <li key={`${pointer} ${message}`}>
              <code>{pointer === "" ? "the whole payload" : pointer}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <div class="buttons" role="group" aria-label="Form of the payload">
        <button type="button" aria-pressed={!isRaw} onClick={() => setRaw(false)}>
          Formatted
        </button>
        <button type="button" aria-pressed={isRaw} onClick={() => setRaw(true)}>
          As sent
        </button>
      </div>
      <Code
        label={isRaw ? `${bytes.toLocaleString()} bytes, as they are signed` : "Formatted"}
        text={isRaw ? event.payload : formatted(event.payload)}
      />
    </>
  );
}
