import { useState } from "preact/hooks";
import { Code, Json } from "../parts.tsx";
import type { WrittenEvent } from "../shapes.ts";
import { formatted } from "../words.ts";

/** An event's payload, to read or as the bytes that are signed, and what its schema finds. */
export function Payload({
  event: { payload, findings, isMasked = false },
  openHref,
}: {
  readonly event: WrittenEvent;
  /** The address that shows personal members. */
  readonly openHref: string;
}) {
  const [isRaw, setRaw] = useState(false);
  const bytes = new TextEncoder().encode(payload).length;
  return (
    <>
      {isMasked && (
        <p class="soft">
          Personal members are masked. <a href={openHref}>Show them</a>
        </p>
      )}
      {findings !== null && (
        <p>
          <span class={`badge ${findings.faults.length === 0 ? "good" : "bad"}`}>
            {findings.faults.length === 0 ? "Valid" : "Not valid"}
          </span>{" "}
          by {findings.by}
        </p>
      )}
      {findings !== null && findings.faults.length > 0 && (
        <ul>
          {findings.faults.map(({ pointer, message }) => (
            <li key={`${pointer} ${message}`}>
              <code>{pointer === "" ? "the whole payload" : pointer}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {!isMasked && (
        <div class="buttons" role="group" aria-label="Form of the payload">
          <button type="button" aria-pressed={!isRaw} onClick={() => setRaw(false)}>
            Formatted
          </button>
          <button type="button" aria-pressed={isRaw} onClick={() => setRaw(true)}>
            As sent
          </button>
        </div>
      )}
      {isRaw && !isMasked ? (
        <Code label={`${bytes.toLocaleString()} bytes, as they are signed`} text={payload} />
      ) : (
        <Code label="Formatted" text={formatted(payload)}>
          <Json text={payload} />
        </Code>
      )}
    </>
  );
}
